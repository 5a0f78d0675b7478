"""Goal: the generator keeps what its module promises, for any options.

Method: hypothesis over small options, one fixed digest (a change of it breaks comparison with older figures),
a run in another process with another hash seed, and counts on a graph of some thousand entities.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.domain.names import name_key
from graphsvc.importers import IMPORTERS, Record
from graphsvc.seeding.entity_names import NUMBERS_MAX, entity_name
from graphsvc.seeding.generate import GraphOptions, generate_records, write_graph
from graphsvc.seeding.load_model import LoadModel
from graphsvc.seeding.vocabulary import TABLE_SLOTS, VOCABULARY_WORDS, WORDS, ZIPF_TABLE
from tests.seeding.record_rules import check_record, records_of

CHECKOUT = Path(__file__).resolve().parents[2]
OPTIONS = st.builds(
    GraphOptions,
    entities=st.integers(1, 300),
    seed=st.integers(0, 2**63 - 1),
    scopes=st.integers(1, 30),
    observations_per_entity_milli=st.integers(0, 9_000),
    relations_per_entity_milli=st.integers(0, 5_000),
)


def of_kind(records: list[Record], kind: str) -> list[Record]:
    return [record for record in records if record["record"] == kind]


def observations(records: list[Record]) -> list[str]:
    contents: list[Any] = [item for r in of_kind(records, "entity") for item in r["observations"]]
    return [content if isinstance(content, str) else content["text"] for content in contents]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(generate_records(GraphOptions(entities=6_000)))


def test_the_bytes_of_a_graph_never_change(tmp_path: Path) -> None:
    summary = write_graph(GraphOptions(entities=1_500, seed=7, scopes=5, hub_degree=100), tmp_path / "g")
    assert summary == {
        "scope": 5,
        "entity": 1_500,
        "observations": 6_768,
        "relation": 2_977,
        "bytes": 1_176_491,
        "sha256": "c564e7761a5b2173fe5667a330700665178e76c1f44d94356930ce8731b047f6",
    }


def test_another_process_with_another_hash_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    options = GraphOptions(
        entities=1_200, seed=3, scopes=4, observations_per_entity_milli=1_700, hub_degree=50
    )
    summary = write_graph(options, here)
    arguments = "--entities 1200 --seed 3 --scopes 4 --observations-per-entity 1.7 --hub-degree 50 -o"
    run = subprocess.run(
        [sys.executable, "-m", "graphsvc.seeding.generate", *arguments.split(), str(there)],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONHASHSEED": "4711", "LC_ALL": "C", "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(run.stdout) == summary
    assert here.read_bytes() == there.read_bytes()
    assert summary["sha256"] == hashlib.sha256(here.read_bytes()).hexdigest()
    assert summary["bytes"] == here.stat().st_size


def test_options_out_of_range_are_refused_by_name(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "graphsvc.seeding.generate", "--entities", "0", "-o", str(tmp_path / "g")],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert run.returncode == 2
    assert "entities must be between 1 and" in run.stderr
    assert not (tmp_path / "g").exists()
    for name in (
        "seed",
        "scopes",
        "observations_per_entity_milli",
        "relations_per_entity_milli",
        "hub_degree",
    ):
        with pytest.raises(ValueError, match=f"^{name} must be between"):
            GraphOptions(entities=10, **{name: -1})


@given(options=OPTIONS)
def test_every_record_can_be_loaded_and_nothing_is_skipped(options: GraphOptions) -> None:
    records = list(generate_records(options))
    model = LoadModel()
    for record in records:
        check_record(record)
        model.take(record)
    outcomes = model.outcomes()
    assert outcomes["scope"] == {"created": options.scopes}
    assert outcomes["entity"] == {"created": options.entities}
    assert set(outcomes.get("observation", {})) <= {"added"}
    assert set(outcomes.get("relation", {})) <= {"created"}
    assert set(outcomes.get("alias", {})) <= {"added"}


@pytest.mark.parametrize("hub_degree", [0, 200])
@pytest.mark.parametrize("more", [2_000, 2_001, 3_500])
def test_a_file_is_a_prefix_of_every_file_with_more_entities(more: int, hub_degree: int) -> None:
    shorter = list(generate_records(GraphOptions(entities=2_000, scopes=7, hub_degree=hub_degree)))
    longer = list(generate_records(GraphOptions(entities=more, scopes=7, hub_degree=hub_degree)))
    assert longer[: len(shorter)] == shorter


def test_counts_come_close_to_the_means(records: list[Record]) -> None:
    assert len(of_kind(records, "scope")) == 20
    assert len(of_kind(records, "entity")) == 6_000
    assert 4.4 < len(observations(records)) / 6_000 < 4.6
    assert 1.9 < len(of_kind(records, "relation")) / 6_000 < 2.05
    per_entity = Counter(len(record["observations"]) for record in of_kind(records, "entity"))
    assert min(per_entity) <= 1
    assert max(per_entity) == 18


def test_the_first_scope_holds_two_fifths_and_the_others_share_the_rest(records: list[Record]) -> None:
    scopes = Counter(record["scope"] for record in of_kind(records, "entity"))
    assert len(scopes) == 20
    assert 0.38 < scopes.pop("project:generated-001") / 6_000 < 0.42
    assert max(scopes.values()) < 1.5 * min(scopes.values())


def test_one_scope_holds_everything() -> None:
    records = list(generate_records(GraphOptions(entities=500, scopes=1)))
    assert {record["scope"] for record in of_kind(records, "entity")} == {"project:generated-001"}


@given(
    numbers=st.lists(st.integers(0, NUMBERS_MAX - 1), min_size=2, max_size=2, unique=True),
    variants=st.lists(st.integers(0, 2**16 - 1), min_size=2, max_size=2),
    offset=st.integers(0, 2**24 - 1),
    kind=st.sampled_from(["person", "organization", "place"]),
)
def test_two_numbers_never_have_one_name(
    numbers: list[int], variants: list[int], offset: int, kind: str
) -> None:
    first, second = (
        entity_name(number, offset, kind, variant) for number, variant in zip(numbers, variants, strict=True)
    )
    assert name_key(first) != name_key(second)


def test_names_are_unique_and_no_alias_is_a_name(records: list[Record]) -> None:
    entities = of_kind(records, "entity")
    names = {name_key(record["name"]) for record in entities}
    aliases = Counter(name_key(alias) for record in entities for alias in record["aliases"])
    assert len(names) == 6_000
    assert not names & aliases.keys()
    assert 0.5 < sum(aliases.values()) / 6_000 < 0.8
    assert 0 < sum(owners > 1 for owners in aliases.values()) < len(aliases) / 5


def test_relations_lead_to_earlier_entities_of_their_scope_each_once(records: list[Record]) -> None:
    places = {r["name"]: (r["scope"], number) for number, r in enumerate(of_kind(records, "entity"))}
    relations = of_kind(records, "relation")
    for relation in relations:
        (from_scope, from_), (to_scope, to) = places[relation["from"]], places[relation["to"]]
        assert from_scope == to_scope == relation["scope"]
        assert to < from_
    triples = Counter((r["from"], r["type"], r["to"]) for r in relations)
    assert max(triples.values()) == 1


def test_degrees_have_a_long_tail(records: list[Record]) -> None:
    degrees = sorted(Counter(r["to"] for r in of_kind(records, "relation")).values(), reverse=True)
    assert degrees[0] > 20 * 2
    assert degrees[len(degrees) // 2] <= 3


@pytest.mark.parametrize("degree", [1, 600])
def test_the_hub_has_exactly_its_degree(degree: int) -> None:
    records = list(generate_records(GraphOptions(entities=2_000, hub_degree=degree)))
    hub = of_kind(records, "entity")[0]
    assert hub["scope"] == "project:generated-001"
    ends = [end for record in of_kind(records, "relation") for end in (record["from"], record["to"])]
    assert ends.count(hub["name"]) == degree
    assert all(record["from"] != hub["name"] for record in of_kind(records, "relation"))


def test_texts_are_worded_by_zipf_dated_and_name_other_entities(records: list[Record]) -> None:
    texts = observations(records)
    names = {record["name"] for record in of_kind(records, "entity")}
    words = Counter(word for text in texts for word in text.rstrip(".").lower().split())
    frequencies = [words[WORDS[rank]] for rank in (0, 7, 27, 107)]
    for more, fewer in pairwise(frequencies):
        assert 2 < more / fewer < 6, "rank times four (from an offset of 3), a quarter as often"
    assert 0.95 < len(set(texts)) / len(texts) <= 1
    dated = json.dumps([r["observations"] for r in of_kind(records, "entity")]).count("observed_at")
    assert 0.3 < dated / len(texts) < 0.37
    mentions = sum(any(" ".join(text[:-1].split()[-n:]) in names for n in (2, 3, 4)) for text in texts)
    assert 0.1 < mentions / len(texts) < 0.15


def test_the_vocabulary_is_as_large_as_it_says_and_every_word_can_be_drawn() -> None:
    assert len(WORDS) == len(set(WORDS)) == VOCABULARY_WORDS
    assert len(ZIPF_TABLE) == TABLE_SLOTS
    assert set(ZIPF_TABLE) == set(WORDS)
    assert all(word.isalpha() and word.islower() for word in WORDS)


def test_the_file_is_read_by_the_importer_of_the_load_format(tmp_path: Path) -> None:
    options = GraphOptions(entities=300, scopes=3)
    write_graph(options, tmp_path / "g.jsonl")
    assert records_of(IMPORTERS["jsonl"](tmp_path / "g.jsonl")) == list(generate_records(options))
