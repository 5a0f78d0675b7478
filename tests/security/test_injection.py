"""Hostile strings in every field that takes text: refused with a reason, or stored and given back exactly.

Goal: no text ever becomes part of a query, of search syntax or of a frame, and none makes the service fail. Method: the
corpus goes through every field over HTTP, in batches, then is read back and compared; before and after, the labels,
relationship types, property keys, constraints and indexes of the database and a sentinel of another scope must be the
same. `test_every_text_field_has_a_way_in` finds fields that are not covered.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graphsvc.operations import OPERATIONS
from tests.conftest import Database, World
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY
from tests.security.corpus_files import CORPUS

LARGE = {"unit": "chars", "limit": 200_000}
TEXTS = [hostile.text for hostile in CORPUS]


def sendable(text: str) -> bool:
    """Whether it can be written as UTF-8 JSON at all; lone surrogates go as escapes in a raw body instead."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


@pytest.fixture(scope="module")
def schema_of(database: Database) -> Iterator[Any]:
    """A function that says what the database is made of."""
    with neo4j.GraphDatabase.driver(database.bolt_url, auth=(database.user, database.password)) as driver:

        def look() -> dict[str, set[str]]:
            return {
                name: {str(record[0]) for record in driver.execute_query(query)[0]}
                for name, query in {
                    "labels": "CALL db.labels()",
                    "types": "CALL db.relationshipTypes()",
                    "constraints": "SHOW CONSTRAINTS YIELD name",
                    "indexes": "SHOW INDEXES YIELD name",
                    "keys": "CALL db.propertyKeys()",
                }.items()
            }

        yield look


def known_keys() -> set[str]:
    """Property keys that may appear meanwhile: the test's own, and those that a query file names itself."""
    files = Path(__file__).parents[2].joinpath("cypher").rglob("*.cypher")
    return {"property_note"}.union(*(re.findall(r"\.([a-z_]+)\b", file.read_text("utf-8")) for file in files))


def outcomes(caller: Caller, operation: str, payload: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of a batch; it must not be refused as a whole."""
    body = json.dumps(payload)  # ASCII, so that lone surrogates travel as escapes
    response = caller.http.post(
        f"/v1/{operation}", content=body, headers={"Content-Type": "application/json"}
    )
    TALLY["hostile inputs"] += len(TEXTS)
    assert response.status_code in {200, 400, 422}, (
        f"{operation}: {response.status_code} {response.text[:300]}"
    )
    return response.json().get("results", []) if response.status_code == 200 else []


def chunks(rows: list[Any], size: int = 120) -> Iterator[list[Any]]:
    """Batches of rows."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def test_texts_come_back_exactly_and_the_database_is_made_of_the_same(world: World, schema_of: Any) -> None:
    stranger = world.agent(z="read,write")
    stranger.call("create_entities", entities=[{"name": "Sentinel", "observations": ["untouched"]}])
    sentinel = stranger.post("open_nodes", {"names": ["Sentinel"], "neighbours": True}).json()["entities"]
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": "Keeper"}, {"name": "Other"}])
    agent.call(
        "create_relations",
        relations=[{"from": "Keeper", "type": "t", "to": "Other", "properties": {"note": "x"}}],
    )
    before = schema_of()

    texts = [text for text in TEXTS if sendable(text)]
    stored = 0
    for batch in chunks(texts):
        items = [{"entity": "Keeper", "contents": [text]} for text in batch]
        for text, result in zip(batch, outcomes(agent, "add_observations", {"items": items}), strict=True):
            outcome = result["observations"][0]["outcome"]
            assert outcome in {"added", "duplicate"} or "\0" in text or not text.strip(), (text, outcome)
            stored += outcome == "added"
    found: set[str] = set()
    cursor = None
    while True:
        page = agent.call("open_nodes", names=["Keeper"], budget=LARGE, cursor=cursor)
        found |= {o["text"] for record in page["entities"] for o in record["observations"]}
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(found) == stored
    assert found <= set(texts)

    for batch in chunks(texts):
        entities = [{"name": f"n {text}"[:200], "kind": text[:60], "aliases": [text[:250]]} for text in batch]
        results = outcomes(agent, "create_entities", {"entities": entities})
        ids = {r["id"]: e for r, e in zip(results, entities, strict=True) if r["outcome"] == "created"}
        opened = agent.call("open_nodes", names=[{"id": i} for i in ids], budget=LARGE)["entities"]
        for record in opened:
            sent = ids[record["entity"]["id"]]
            assert record["entity"]["name"] == shown(sent["name"])
            assert record["entity"]["kind"] == shown(sent["kind"])
    for batch in chunks(texts):
        relations = [
            {"from": "Keeper", "type": text[:60], "to": "Other", "properties": {"note": text}}
            for text in batch
        ]
        for relation, result in zip(
            relations, outcomes(agent, "create_relations", {"relations": relations}), strict=True
        ):
            assert result["outcome"] in {"created", "existing", "invalid"}, relation
    opened = agent.call("open_nodes", names=["Keeper", "Other"], budget=LARGE)["entities"][0]["relations"]
    assert {r["type"] for r in opened} <= {shown(text[:60]) for text in texts} | {"t"}
    assert {r["properties"].get("note") for r in opened} <= {*texts, "x"}

    after = schema_of()
    for part in ("labels", "types", "constraints", "indexes"):
        assert after[part] == before[part], part
    assert after["keys"] - before["keys"] <= known_keys()
    assert (
        stranger.post("open_nodes", {"names": ["Sentinel"], "neighbours": True}).json()["entities"]
        == sentinel
    )


def shown(text: str) -> str:
    """A name as it is kept: line breaks become spaces, ends trimmed."""
    from graphsvc.domain.names import display_text  # noqa: PLC0415 - the rule itself is tested in tests/domain

    return display_text(text)


def test_any_text_may_be_searched_for_and_none_is_syntax(world: World) -> None:
    agent = world.agent(a="read,write")
    agent.call(
        "create_entities", entities=[{"name": 'Mill "B" (north): 50/50 ~draft*', "observations": ["plain"]}]
    )
    everything = ("*", "*:*", "?", "[* TO *]", "scope:*", "_exists_:scope", "/.*/", "owner_scope:[* TO *]")
    for text in TEXTS:
        response = agent.http.post(
            "/v1/search_nodes",
            content=json.dumps(
                {
                    "query": text,
                    "pointers": True,
                    "scopes": [world.scope("a"), "".join(filter(str.isprintable, text)) or "x"],
                }
            ),
            headers={"Content-Type": "application/json"},
        )
        TALLY["hostile inputs"] += 1
        assert response.status_code == 200 or not sendable(text), (text, response.text)
        if text in everything:
            assert response.json()["evidence"] == [], text
    found = agent.call("search_nodes", query='Mill "B" (north): 50/50 ~draft*')
    assert found["evidence"][0]["entity"]["name"].startswith("Mill")


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_every_text_field_takes_any_text(operation: str, world: World, operator: Caller) -> None:
    """Every string in the operation's example is replaced by hostile ones in turn: an outcome or a typed error."""
    example = OPERATIONS[operation].example
    places = list(text_places(example))
    caller = operator if OPERATIONS[operation].needs == "admin" else world.agent(a="read,write")
    for number, place in enumerate(places):
        # A different sixth of the corpus for every place: all of it goes through every field in the long suite.
        for text in TEXTS[number % 6 :: 6][:12]:
            payload = replaced(example, place, text)
            response = caller.http.post(
                f"/v1/{operation}", content=json.dumps(payload), headers={"Content-Type": "application/json"}
            )
            TALLY["hostile inputs"] += 1
            assert response.status_code < 500, (operation, place, text, response.text)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_every_text_field_takes_the_whole_corpus(operation: str, world: World, operator: Caller) -> None:
    example = OPERATIONS[operation].example
    caller = operator if OPERATIONS[operation].needs == "admin" else world.agent(a="read,write")
    for place in text_places(example):
        for text in TEXTS:
            body = json.dumps(replaced(example, place, text))
            response = caller.http.post(
                f"/v1/{operation}", content=body, headers={"Content-Type": "application/json"}
            )
            TALLY["hostile inputs"] += 1
            assert response.status_code < 500, (operation, place, text, response.text)


Place = tuple[str | int, ...]


def text_places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where in a payload texts stand; keys of objects too, as `("…", key, "key")` would be ours and are fixed."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from text_places(inner, (*at, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from text_places(inner, (*at, i))


def replaced(value: Any, place: Place, text: str) -> Any:
    """The payload with another text at this place."""
    if not place:
        return text
    if isinstance(value, dict):
        return {
            key: replaced(inner, place[1:], text) if key == place[0] else inner
            for key, inner in value.items()
        }
    return [replaced(inner, place[1:], text) if i == place[0] else inner for i, inner in enumerate(value)]


def test_headers_take_any_text(agent: Caller) -> None:
    for text in TEXTS:
        # What the client itself would not send is in test_raw_http.py.
        encoded = bytes(
            byte for byte in text.encode("utf-8", "surrogatepass") if byte >= 0x20 and byte != 0x7F
        )
        for header in ("Idempotency-Key", "X-Bookmark", "X-Request-Id"):
            response = agent.http.post(
                "/v1/add_aliases",
                json={"items": [{"entity": "Nobody", "aliases": ["x"]}]},
                headers={header: encoded.strip() or b"x"},
            )
            TALLY["hostile inputs"] += 1
            assert response.status_code < 500, (header, text, response.text)
