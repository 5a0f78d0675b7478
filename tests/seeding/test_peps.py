"""Goal: the collection of PEPs becomes a graph that answers to numbers and titles, nothing lost or guessed.

Method: small files with the difficult cases, then the real collection where it is there (else these tests
skip), against facts counted from the data themselves.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphsvc.importers import IMPORTERS, Problem, Record
from graphsvc.importers.peps import SCOPE, plain_title, read_peps
from tests.seeding.pep_questions import (
    ambiguous_pep_titles,
    derived_pep_questions,
    pep_rows,
    peps_file,
)
from tests.seeding.pointer_model import PointerModel
from tests.seeding.record_rules import check_record, problems_by_line, records_of

PEP_8: dict[str, Any] = {
    "number": 8,
    "title": "Style Guide for Python Code",
    "authors": ["Guido van Rossum"],
    "status": "Active",
    "type": "Process",
    "created": "05-Jul-2001",
    "python_version": None,
    "topic": None,
    "requires": [],
    "replaces": [],
    "superseded_by": [],
    "abstract": ["This document gives coding conventions."],
}


def pep(number: int, **fields: Any) -> dict[str, Any]:
    return {**PEP_8, "number": number, "title": f"Title {number}", "abstract": [], **fields}


def write(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "peps.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def entities(records: list[Record], kind: str | None = None) -> dict[str, Record]:
    return {r["name"]: r for r in records if r["record"] == "entity" and kind in (None, r["kind"])}


def triples(records: list[Record]) -> Counter[tuple[str, str, str]]:
    return Counter((r["from"], r["type"], r["to"]) for r in records if r["record"] == "relation")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return records_of(read_peps(peps_file()))


def test_one_proposal(tmp_path: Path) -> None:
    row = {**PEP_8, "python_version": "3.0", "topic": "Governance, Typing", "authors": ["A B", "C D", "E F"]}
    records = records_of(read_peps(write(tmp_path, row)))

    name = "PEP 8 – Style Guide for Python Code"
    assert records[0] == {"record": "scope", "id": SCOPE, "title": "Python Enhancement Proposals"}
    assert entities(records, "proposal")[name] == {
        "record": "entity",
        "scope": SCOPE,
        "name": name,
        "kind": "proposal",
        "aliases": ["PEP 8", "pep-0008", "pep8", "Style Guide for Python Code"],
        "external_ids": ["pep:8"],
        "observations": [
            {"text": "PEP 8 was created on 5 July 2001.", "observed_at": "2001-07-05T00:00:00Z"},
            "PEP 8 is a Process proposal with status Active.",
            "PEP 8 was written by A B, C D and E F.",
            "PEP 8 is meant for Python 3.0.",
            "This document gives coding conventions.",
        ],
    }
    assert triples(records) == Counter(
        [
            ("A B", "authored", name),
            ("C D", "authored", name),
            ("E F", "authored", name),
            (name, "has-status", "Status: Active"),
            (name, "has-type", "Type: Process"),
            (name, "about", "Topic: Governance"),
            (name, "about", "Topic: Typing"),
        ]
    )


def test_two_proposals_of_one_title_stay_two_and_the_title_is_ambiguous(tmp_path: Path) -> None:
    rows = (pep(367, title="New Super"), pep(3135, title="New super", replaces=[367]))
    records = records_of(read_peps(write(tmp_path, *rows)))
    model = PointerModel(records)

    assert set(entities(records, "proposal")) == {"PEP 367 – New Super", "PEP 3135 – New super"}
    assert triples(records)["PEP 3135 – New super", "replaces", "PEP 367 – New Super"] == 1
    assert model.resolve("who wrote NEW SUPER?") == ([], 1)
    assert model.resolve("who wrote PEP 3135?") == (["PEP 3135 – New super"], 0)


def test_a_person_called_like_a_topic_a_status_or_a_title_is_not_mixed_up_with_it(tmp_path: Path) -> None:
    rows = (
        pep(1, authors=["Packaging", "Final", "Title 2"], topic="Packaging", status="Final"),
        pep(2, authors=["packaging", "  FINAL "], topic="Packaging"),
    )
    records = records_of(read_peps(write(tmp_path, *rows)))

    assert set(entities(records, "person")) == {"Packaging", "Final", "Title 2"}
    assert {"Topic: Packaging", "Status: Final", "PEP 2 – Title 2"} <= set(entities(records))
    assert triples(records)["Packaging", "authored", "PEP 1 – Title 1"] == 1
    assert triples(records)["packaging", "authored", "PEP 2 – Title 2"] == 1
    assert PointerModel(records).resolve("Packaging?") == (["Packaging"], 0)


def test_a_long_paragraph_is_split_and_the_record_still_fits(tmp_path: Path) -> None:
    paragraph = "A sentence about packaging. " * 1_000
    records = records_of(read_peps(write(tmp_path, pep(1, abstract=[paragraph, " "]))))
    texts = entities(records, "proposal")["PEP 1 – Title 1"]["observations"][3:]
    assert len(texts) == 4
    assert " ".join(texts) == paragraph.strip()
    for record in records:
        check_record(record)


def test_bad_lines_and_references_to_nothing_spoil_no_other(tmp_path: Path) -> None:
    rows = (
        pep(1, requires=[99], superseded_by=[2]),
        ["not", "an", "object"],
        pep(2, created="31-Feb-2001"),
        pep(2, created="2001-02-03"),
        pep(2, created=None),
        pep(2, authors=["A B", " "]),
        pep(2, title=""),
        {**pep(2), "number": "2"},
        {"number": 2},
        pep(2),
        pep(2, title="Another"),
    )
    found = list(read_peps(write(tmp_path, *rows)))

    problems = problems_by_line(found)
    assert list(problems) == [2, 3, 4, 5, 6, 7, 8, 9, 11, 1]
    assert problems[1] == "requires names PEP 99, which the file does not hold"
    assert problems[3].startswith("$.created day ")
    assert problems[4] == "$.created not a date like 13-Jun-2000"
    assert problems[6].startswith("$.authors[1] ")
    assert problems[9] == "$.title is required"
    assert problems[11] == "PEP 2 stands in line 10 already"
    records = [item.content for item in found if not isinstance(item.content, Problem)]
    assert set(entities(records, "proposal")) == {"PEP 1 – Title 1", "PEP 2 – Title 2"}
    assert triples(records)["PEP 1 – Title 1", "superseded-by", "PEP 2 – Title 2"] == 1


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Add ``math.tau``", "Add math.tau"),
        ("Change the Meaning of ``\\x`` Escapes", "Change the Meaning of \\x Escapes"),
        (
            "Preserving the order of \\*\\*kwargs in a function.",
            "Preserving the order of **kwargs in a function.",
        ),
        ("New methods for ``ExceptionGroup``\\ s", "New methods for ExceptionGroups"),
        ("Exception Groups and except*", "Exception Groups and except*"),
        ("A ``stray mark", "A ``stray mark"),
    ],
)
def test_titles_are_shown_without_markup(title: str, plain: str) -> None:
    assert plain_title(title) == plain


def test_the_collection_is_read_whole(records: list[Record]) -> None:
    rows = pep_rows()
    assert len(entities(records, "proposal")) == len(rows) == 736
    assert len(entities(records, "person")) == len({name for row in rows for name in row["authors"]}) == 365
    assert set(entities(records, "topic")) == {
        f"Topic: {t}" for t in ("Governance", "Packaging", "Release", "Typing")
    }
    assert len(entities(records, "status")) == len({row["status"] for row in rows})
    assert len(entities(records, "proposal type")) == len({row["type"] for row in rows})

    types = Counter(type_ for _, type_, _ in triples(records).elements())
    assert types["authored"] == sum(len(row["authors"]) for row in rows)
    assert types["has-status"] == types["has-type"] == 736
    for type_, field in (
        ("requires", "requires"),
        ("replaces", "replaces"),
        ("superseded-by", "superseded_by"),
    ):
        assert types[type_] == sum(len(row[field]) for row in rows)
    assert max(triples(records).values()) == 1

    observations = [text for record in entities(records).values() for text in record.get("observations", [])]
    assert len(observations) >= 1_500
    paragraphs = [text for row in rows for text in row["abstract"]]
    texts = Counter(text for text in observations if isinstance(text, str))
    assert Counter(paragraphs) <= texts


def test_every_record_of_the_collection_would_pass_the_rules_of_the_writes(records: list[Record]) -> None:
    for record in records:
        check_record(record)
    names = [record["name"] for record in records if record["record"] == "entity"]
    assert len(names) == len(set(names)), "an entity comes in one record"


def test_entities_stand_before_the_relations_that_name_them(records: list[Record]) -> None:
    known: set[str] = set()
    for record in records:
        if record["record"] == "entity":
            known.add(record["name"])
        elif record["record"] == "relation":
            assert {record["from"], record["to"]} <= known


def test_derived_questions_point_to_exactly_one_entity(records: list[Record]) -> None:
    model = PointerModel(records)
    questions = derived_pep_questions(50)
    assert len({question.query for question in questions}) == 50
    assert questions == derived_pep_questions(50)
    for question in [*questions, *derived_pep_questions(400, seed=1)]:
        assert model.resolve(question.query) == ([question.entity_name], 0), question


def test_titles_of_several_proposals_point_to_none(records: list[Record]) -> None:
    model = PointerModel(records)
    titles = ambiguous_pep_titles()
    assert len(titles) == 6
    for title in titles:
        assert model.resolve(f"Who wrote {title}?") == ([], 1)


def test_the_question_of_the_demo_names_the_right_things(records: list[Record]) -> None:
    (old,) = [name for name in entities(records) if name.startswith("PEP 386 ")]
    (new,) = [name for name in entities(records) if name.startswith("PEP 440 ")]
    assert PointerModel(records).resolve("What replaced PEP 386 and who wrote it?") == ([old], 0)
    found = triples(records)
    assert found[new, "replaces", old] == found[old, "superseded-by", new] == 1
    assert {from_ for from_, type_, to in found if type_ == "authored" and to == new} == {
        "Alyssa Coghlan",
        "Donald Stufft",
    }
    assert "PEP 386 is superseded by PEP 440." in entities(records)[old]["observations"]


def test_reading_is_deterministic(records: list[Record]) -> None:
    assert records_of(IMPORTERS["peps"](peps_file())) == records
