"""Goal: the demo world is sound and has everything in it that its README promises.

Method: its records go through the models of the writes and the small model of a load; single promises are
looked up in the records. Loading it into Neo4j is tested with the load.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from graphsvc.importers import IMPORTERS, Record
from graphsvc.seeding.load_model import LoadModel
from graphsvc.seeding.manifest import manifest_text
from tests.seeding.pointer_model import PointerModel
from tests.seeding.record_rules import check_record, records_of

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
QUESTION = "Who can print boxes the same day for Paul Pack?"


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return records_of(IMPORTERS["jsonl"](SEEDS / "demo.jsonl"))


def texts(records: list[Record]) -> list[str]:
    contents = [text for r in records for text in (*r.get("observations", ()), *r.get("contents", ()))]
    return [content if isinstance(content, str) else content["text"] for content in contents]


def model_of(records: list[Record]) -> LoadModel:
    model = LoadModel()
    for record in records:
        model.take(record)
    return model


def test_the_manifest_is_that_of_the_files() -> None:
    assert (SEEDS / "MANIFEST.json").read_text("utf-8") == manifest_text(SEEDS)


def test_every_record_would_pass_the_rules_of_the_writes(records: list[Record]) -> None:
    for record in records:
        check_record(record)
        assert record.get("scope", record.get("id")) in {"shared", "project:atlas", "project:borealis"}


def test_a_first_load_leaves_nothing_out(records: list[Record]) -> None:
    outcomes = model_of(records).outcomes()
    assert not {"skipped", "ambiguous"} & {name for counts in outcomes.values() for name in counts}
    named = [
        content
        for record in records
        if record["record"] in ("retire_entities", "retire_observations", "retire_relations")
        for content in (*record.get("names", ()), *record.get("contents", ()), *record.get("relations", ()))
    ]
    assert sum(outcomes["retired"].values()) == len(named)


def test_a_second_load_adds_nothing(records: list[Record]) -> None:
    once, twice = model_of(records), model_of(records + records)
    assert once.graph() == twice.graph()
    for kind in ("scope", "entity", "observation", "alias", "relation"):
        first, second = once.outcomes()[kind], twice.outcomes()[kind]
        assert [second.get(name) for name in ("created", "added")] == [
            first.get(name) for name in ("created", "added")
        ]


def test_every_entity_is_related_to_another(records: list[Record]) -> None:
    related = {r[end] for r in records if r["record"] == "relation" for end in ("from", "to")}
    assert {r["name"] for r in records if r["record"] == "entity"} <= related


def test_the_question_points_to_paul_pack_and_acme_print_answers_it(records: list[Record]) -> None:
    atlas, borealis = {"project:atlas", "shared"}, {"project:borealis"}
    for scopes in ({"project:atlas"}, atlas, atlas | borealis):
        seen = [record for record in records if record.get("scope") in scopes]
        assert PointerModel(seen).resolve(QUESTION) == (["Paul Pack"], 0)
    (acme,) = [r for r in records if r["record"] == "entity" and r["name"] == "Acme Print"]
    assert any("boxes for Paul Pack the same day" in text for text in texts([acme]))
    triples = [(r["from"], r["type"], r["to"]) for r in records if r["record"] == "relation"]
    assert ("Acme Print", "supplies", "Paul Pack") in triples


@pytest.mark.parametrize(
    ("alias", "scopes", "owners"),
    [
        ("Sam", {"shared"}, 2),
        ("Paul", {"project:atlas"}, 2),
        ("the press", {"project:atlas", "shared"}, 2),
        ("Acme", {"project:atlas", "shared"}, 1),
        ("Acme", {"project:borealis", "shared"}, 1),
        ("Acme", {"project:atlas", "project:borealis"}, 2),
    ],
)
def test_ambiguous_aliases(records: list[Record], alias: str, scopes: set[str], owners: int) -> None:
    entities = [r for r in records if r["record"] == "entity" and r["scope"] in scopes]
    assert sum(alias in record.get("aliases", ()) for record in entities) == owners


def test_names_that_live_in_two_projects(records: list[Record]) -> None:
    names = Counter(r["name"] for r in records if r["record"] == "entity" and r.get("resolve") == "own_scope")
    assert names == {"Anna Berg": 2, "Launch Day": 2}


def test_projects_keep_notes_on_shared_things(records: list[Record]) -> None:
    shared = {r["name"] for r in records if r["record"] == "entity" and r["scope"] == "shared"}
    notes = {
        (record["scope"], record.get("entity", record.get("name")))
        for record in records
        if record["record"] in ("observations", "entity") and record["scope"] != "shared"
    }
    assert {scope for scope, name in notes if name in shared} == {"project:atlas", "project:borealis"}
    assert {("project:atlas", "Northline Couriers"), ("project:borealis", "Northline Couriers")} <= notes


def test_other_languages_dates_and_things_that_came_back(records: list[Record]) -> None:
    assert sum(bool(re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text)) for text in texts(records)) >= 4
    assert sum(bool(re.search(r"\b(und|der|die|das|ist)\b", text)) for text in texts(records)) >= 4
    assert json.dumps(records).count('"observed_at"') >= 30
    outcomes = model_of(records).outcomes()
    assert outcomes["observation"]["revived"] == 1
    assert all(outcomes["retired"][kind] for kind in ("entities", "observations", "relations"))
