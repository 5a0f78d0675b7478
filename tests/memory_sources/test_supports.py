"""memory-supports: exact evidence links, ambiguity and nearness do not, and old links are looked at again.

Method: a lookup over a small table of entities, as the graph would answer; the laws by hypothesis.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc import limits
from graphsvc.domain.safety import Finding
from graphsvc.memory_sources import report
from graphsvc.memory_sources.candidates import Candidate, Ingestion, ingest
from graphsvc.memory_sources.config import MemoryConfig
from graphsvc.memory_sources.draft import draft_claims
from graphsvc.memory_sources.files import MemorySourceError, Unread
from graphsvc.memory_sources.freshness import find_stale
from graphsvc.memory_sources.supports import (
    MemoryRelation,
    Owner,
    find_support,
    not_analyzed,
    relate,
    values_of,
)
from tests.memory_sources.support import candidate, write_tree

ACME, PAUL = "ent_acme", "ent_paul"


class Entities:
    """An OwnerLookup over a mapping from value to owners. Remembers what it was asked."""

    def __init__(self, owners: Mapping[str, Collection[Owner]]) -> None:
        self.owners = owners
        self.asked: list[list[str]] = []

    async def owners_of(self, values: Sequence[str]) -> Mapping[str, Collection[Owner]]:
        self.asked.append(list(values))
        return {value: self.owners[value] for value in values if value in self.owners}


ENTITIES = Entities(
    {
        ACME: [Owner(ACME, "id")],
        "crm:17": [Owner(ACME, "id")],
        "Acme": [Owner(ACME, "alias")],
        "Acme Print offers same-day turnaround.": [Owner(ACME, "alias")],
        "Paul Pack": [Owner(PAUL, "alias")],
        "docs/acme.md": [Owner(ACME, "path")],
        "docs/größe 1.md": [Owner(PAUL, "path")],
        "printer": [Owner(ACME, "alias"), Owner(PAUL, "alias")],
        "pack": [Owner(PAUL, "path"), Owner(PAUL, "id"), Owner(PAUL, "alias")],
        "clash": [Owner(ACME, "id"), Owner(PAUL, "path")],
    }
)


async def links(*candidates: Candidate) -> list[tuple[str, str, str]]:
    """(value, kind, target) of every link."""
    found = await find_support(Ingestion(candidates, ()), ENTITIES)
    return [(relation.value, relation.kind, relation.target) for relation in found.relations]


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("Ask ent_acme for it", [("ent_acme", "id", ACME)]),
        ("Ask crm:17, please", [("crm:17", "id", ACME)]),
        ("Acme prints", [("Acme", "alias", ACME)]),
        ("We like Acme.", [("Acme", "alias", ACME)]),
        ("We like Acme?!", [("Acme", "alias", ACME)]),
        ("(Acme) [Acme] {Acme} <Acme>", [("Acme", "alias", ACME)]),
        ("Acme Print offers same-day turnaround.", [
            ("Acme", "alias", ACME), ("Acme Print offers same-day turnaround.", "alias", ACME)]),
        ("Boxes come from `Paul Pack` here", [("Paul Pack", "alias", PAUL)]),
        ("See [the page](docs/acme.md)", [("docs/acme.md", "path", ACME)]),
        ("See [sizes](<docs/größe 1.md>)", [("docs/größe 1.md", "path", PAUL)]),
        ("See docs/acme.md.", [("docs/acme.md", "path", ACME)]),
        ("pack it", [("pack", "id", PAUL)]),
        # what must not link
        ("acme prints, ACME prints", []),
        ("Acmeprint and Acme-Print and Acmes", []),
        ("Boxes come from Paul Pack here", []),
        ("Acme's", []),
        ("printer", []),
        ("clash", []),
        ("See [the page](./docs/acme.md) or [it](docs/acme.md#top)", []),
        ("See docs/ACME.md", []),
        ("Ａｃｍｅ prints", []),
        ("", []),
    ],
)  # fmt: skip
async def test_only_exact_values_link(fact: str, expected: list[tuple[str, str, str]]) -> None:
    assert await links(candidate(fact)) == sorted(expected, key=lambda link: (link[2], link[0]))


async def test_references_of_the_front_matter_link() -> None:
    assert await links(candidate("Nothing here", references=("Paul Pack", "printer", "nobody"))) == [
        ("Paul Pack", "alias", PAUL)
    ]


async def test_only_safe_candidates_that_are_not_discarded_link() -> None:
    discarded = candidate("Acme prints", discarded=True)
    unsafe = candidate("Acme prints", findings=(Finding("password", 3),))
    lookup = Entities(ENTITIES.owners)
    found = await find_support(Ingestion((discarded, unsafe), ()), lookup)
    assert found.relations == ()
    assert lookup.asked == [[]], "nothing of them is even asked for"


async def test_relations_are_sorted_and_each_once() -> None:
    first, second = candidate("Acme Acme (Acme)", "notes/b.md"), candidate("pack Acme", "notes/a.md")
    found = await find_support(Ingestion((first, second), ()), ENTITIES)
    assert [(relation.candidate_id, relation.target) for relation in found.relations] == [
        ("a", ACME),
        ("a", PAUL),
        ("b", ACME),
    ]
    assert found.relations[0].as_json() == {
        "kind": "memory-supports",
        "candidate_id": "a",
        "target": ACME,
        "evidence": {
            "kind": "alias",
            "value": "Acme",
            "raw_path": "notes/a.md",
            "fact_sha256": hashlib.sha256(b"pack Acme").hexdigest(),
        },
    }


async def test_coverage_says_what_was_looked_at() -> None:
    complete = await find_support(Ingestion((), ()), ENTITIES)
    assert complete.coverage.as_json() == {
        "analyzer": "memory-entities", "version": "1", "scope": "memory", "status": "complete", "reason": None,
    }  # fmt: skip
    partial = await find_support(Ingestion((), (Unread("cursor-rules", "a.md", "not UTF-8"),)), ENTITIES)
    assert (partial.coverage.status, partial.coverage.reason) == ("partial", "1 files were not read")
    assert not_analyzed("why").coverage.as_json()["status"] == "not-analyzed"


def test_too_many_relations_are_an_error() -> None:
    words = [f"w{n}" for n in range(limits.MEMORY_RELATIONS_MAX + 1)]
    owners = {word: [Owner(ACME, "alias")] for word in words}
    assert len(relate([candidate(" ".join(words[:-1]))], owners)) == 10_000
    with pytest.raises(MemorySourceError, match="more than 10000"):
        relate([candidate(" ".join(words))], owners)


def test_the_report_has_the_field_only_with_relations() -> None:
    config, run = MemoryConfig(knowledge_entities=True), Ingestion((candidate("Acme"),), ())
    relations = relate(run.candidates, ENTITIES.owners)
    plain = report.as_json(config, run)
    assert not {"memory_relations", "coverage"} & set(plain)
    without = report.as_json(config, run, not_analyzed("no graph is at hand"))
    assert set(without) - set(plain) == {"coverage"}
    full = report.as_json(config, run, not_analyzed("…").__class__(relations, not_analyzed("x").coverage))
    assert set(full) - set(plain) == {"coverage", "memory_relations", "memory_relations_notice"}
    assert "no proof" in full["memory_relations_notice"]
    assert report.read_relations(report.to_bytes(full)) == list(relations)
    assert any("supports" in line and "Acme" in line for line in report.to_lines(full))


def test_a_draft_names_the_entity_if_there_is_one() -> None:
    one, two = candidate("Acme prints", "n/one.md"), candidate("Acme and pack", "n/two.md")
    run = Ingestion((one, two), ())
    claims = draft_claims(run, relate(run.candidates, ENTITIES.owners), "r", None)["claims"]
    assert [claim["subject"] for claim in claims] == [{"id": ACME}, "two"]


OWNED = st.dictionaries(
    st.sampled_from(["a", "b", "a b", "x.md", "[a](b)", "`a`", "A"]),
    st.lists(
        st.builds(Owner, st.sampled_from([ACME, PAUL]), st.sampled_from(["id", "alias", "path"])), max_size=3
    ),
)
FACTS = st.lists(st.sampled_from(["a", "b", "A", " ", ".", "(", "`", "[a](b)", "x.md"]), max_size=8).map(
    "".join
)


@given(FACTS, OWNED)
def test_a_relation_is_a_value_of_the_candidate_with_one_owner(
    fact: str, owners: dict[str, list[Owner]]
) -> None:
    made = candidate(fact)
    for relation in relate([made], owners):
        assert relation.value in values_of(made)
        assert {owner.entity_id for owner in owners[relation.value]} == {relation.target}
        assert Owner(relation.target, relation.kind) in owners[relation.value]
        assert relation.value in fact
    linked = {relation.value for relation in relate([made], owners)}
    sole = {
        value for value in values_of(made) if len({owner.entity_id for owner in owners.get(value, [])}) == 1
    }
    assert linked == sole


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write_tree(tmp_path, {
        ".agent-memory/a.md": "Acme prints.\n\nMore.", ".agent-memory/b.md": "---\nreferences: [pack]\n---\nBoxes.",
    })  # fmt: skip


def stored(repository: Path) -> list[MemoryRelation]:
    return list(relate(ingest(repository, MemoryConfig()).candidates, ENTITIES.owners))


def stale(
    repository: Path, links: list[MemoryRelation], owners: Mapping[str, Collection[Owner]] | None
) -> list[str]:
    found = find_stale(links, ingest(repository, MemoryConfig()), owners)
    return [f"{link.relation.candidate_id} {link.reason}" for link in found]


def test_links_stay_fresh_while_nothing_they_rest_on_changes(repository: Path) -> None:
    links = stored(repository)
    assert len(links) == 2
    write_tree(
        repository,
        {".agent-memory/a.md": "# New title\n\nAcme prints.\n\nOther.", ".agent-memory/c.md": "New."},
    )
    assert stale(repository, links, ENTITIES.owners) == []
    assert stale(repository, links, None) == []


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        (".agent-memory/a.md", "Acme prints boxes.", "a fact_changed"),
        (".agent-memory/a.md", "Acme prints.\n\n<!-- discard -->", "a not_eligible"),
        (".agent-memory/a.md", "Acme prints.\n\npassword: hunter22", "a not_eligible"),
        (".agent-memory/b.md", "Boxes.", "b value_gone"),
        (".agent-memory/b.md", b"\xff", "b path_gone"),
    ],
)
def test_a_changed_file_makes_a_link_stale(
    repository: Path, path: str, content: str | bytes, reason: str
) -> None:
    links = stored(repository)
    write_tree(repository, {path: content})
    assert stale(repository, links, ENTITIES.owners) == [reason]


def test_a_moved_file_makes_a_link_stale(repository: Path) -> None:
    links = stored(repository)
    (repository / ".agent-memory/a.md").rename(repository / ".agent-memory/moved.md")
    assert stale(repository, links, ENTITIES.owners) == ["a path_gone"]


@pytest.mark.parametrize("owners", [[], [Owner(PAUL, "alias")], [Owner(ACME, "alias"), Owner(PAUL, "id")]])
def test_another_owner_makes_a_link_stale(repository: Path, owners: list[Owner]) -> None:
    links = stored(repository)
    assert stale(repository, links, {**ENTITIES.owners, "Acme": owners}) == ["a owner_changed"]
    assert stale(repository, links, {**ENTITIES.owners, "Acme": [Owner(ACME, "id")]}) == [], (
        "another kind, same owner"
    )
