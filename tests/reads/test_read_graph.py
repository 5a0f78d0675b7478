"""read_graph: everything once, whatever the page size and whatever others write meanwhile (spec 03; fault 5).

Goal: a walk to the end shows what is live throughout exactly once, each page inside its budget; the stream says the
same. Method: over HTTP; the walk with writers runs beside two threads that insert and retire until it ends.
"""

import json
import random
import threading
from collections import Counter
from typing import Any

import pytest

from tests.conftest import World
from tests.harness.service_process import Caller


def fill(agent: Caller, entities: int, facts_each: int, name: str = "Thing") -> list[str]:
    """Entities with facts and a ring of relations; their ids."""
    rows = [
        {"name": f"{name} {i}", "observations": [f"fact {j} of {name} {i}" for j in range(facts_each)]}
        for i in range(entities)
    ]
    ids = [result["id"] for result in agent.call("create_entities", entities=rows)["results"]]
    agent.call(
        "create_relations",
        relations=[
            {"from": {"id": ids[i]}, "type": "next", "to": {"id": ids[(i + 1) % entities]}}
            for i in range(entities)
        ],
    )
    return ids


def walk(agent: Caller, **options: Any) -> list[dict[str, Any]]:
    """All pages."""
    pages = []
    cursor = None
    while True:
        page = agent.call("read_graph", **({"cursor": cursor} if cursor else {}), **options)
        pages.append(page)
        cursor = page["next_cursor"]
        if cursor is None:
            return pages


def counted(pages: list[dict[str, Any]]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How often each entity, observation and relation came."""
    entities = Counter(r["entity"]["id"] for page in pages for r in page["entities"] if not r["continued"])
    observations = Counter(o["id"] for page in pages for r in page["entities"] for o in r["observations"])
    relations = Counter(r["id"] for page in pages for r in page["relations"])
    return entities, observations, relations


@pytest.mark.parametrize(("limit", "chars"), [(100, 16_000), (7, 2_500), (500, 200_000)])
def test_5_all_pages_give_every_item_once_inside_the_budget(agent: Caller, limit: int, chars: int) -> None:
    ids = fill(agent, 150, 5)
    agent.call(
        "add_observations", items=[{"entity": {"id": ids[3]}, "contents": [f"more {i}" for i in range(50)]}]
    )
    pages = walk(agent, limit=limit, budget={"unit": "chars", "limit": chars})
    entities, observations, relations = counted(pages)
    assert set(entities) == set(ids)
    assert {*entities.values(), *observations.values(), *relations.values()} == {1}
    assert (len(observations), len(relations)) == (800, 150)
    assert {json.dumps(page["totals"]) for page in pages} == {json.dumps(pages[0]["totals"])}
    assert {k: pages[0]["totals"][k] for k in ("entities", "observations", "relations")} == {
        "entities": 150,
        "observations": 800,
        "relations": 150,
    }
    for page in pages:
        assert page["accounting"]["budget"]["used"] <= chars
    shown: set[str] = set()
    for page in pages:
        shown |= {record["entity"]["id"] for record in page["entities"]}
        for relation in page["relations"]:
            assert {relation["from"]["id"], relation["to"]["id"]} <= shown


def test_the_stream_holds_the_same_and_ends_in_the_counts(agent: Caller) -> None:
    ids = fill(agent, 30, 2)
    response = agent.http.get("/v1/read_graph?stream=ndjson")
    assert response.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert "notice" in lines[0]["framing"]
    assert {line["entity"]["id"] for line in lines if "entity" in line} == set(ids)
    assert len([line for line in lines if "relation" in line]) == 30
    assert lines[-1]["counts"] == {"entities": 30, "observations": 60, "relations": 30}


def test_a_scope_that_is_not_visible_adds_nothing(world: World) -> None:
    one, two = world.agent(a="read,write"), world.agent(b="read,write")
    fill(one, 3, 1)
    before = one.call("read_graph")
    fill(two, 5, 1, "Foreign")
    after = one.call("read_graph")
    for page in (before, after):
        page["totals"].pop("at")
    assert before == after
    assert one.call("read_graph", scopes=[world.scope("b")])["accounting"]["status"] == "empty_graph"


def test_a_foreign_cursor_is_refused_and_a_limit_of_zero_too(agent: Caller) -> None:
    fill(agent, 3, 1)
    other = agent.call("list_changes")["next_cursor"]
    for payload in ({"cursor": other}, {"cursor": "x"}, {"limit": 0}, {"stream": "csv"}):
        assert agent.post("read_graph", payload).status_code == 422


def test_what_is_live_throughout_is_seen_once_while_others_write(world: World) -> None:
    reader = world.agent(a="read,write")
    ids = fill(reader, 120, 3)
    stop = threading.Event()

    def disturb(caller: Caller, seed: int) -> None:
        rng = random.Random(seed)
        made: list[str] = []
        n = 0
        while not stop.is_set():
            n += 1
            name = f"Passing {seed} {n}"
            answer = caller.call("create_entities", entities=[{"name": name, "observations": ["passing"]}])
            made.append(answer["results"][0]["id"])
            victim = {"id": rng.choice(ids)}
            caller.call(
                "create_relations", relations=[{"from": {"id": made[-1]}, "type": "near", "to": victim}]
            )
            if len(made) > 3:
                caller.call("delete_entities", names=[{"id": made.pop(rng.randrange(len(made)))}])

    callers = [world.agent(a="read,write") for _ in range(2)]
    threads = [threading.Thread(target=disturb, args=(caller, i)) for i, caller in enumerate(callers)]
    for thread in threads:
        thread.start()
    try:
        walks = [walk(reader, limit=9) for _ in range(3)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for pages in walks:
        entities, observations, relations = counted(pages)
        assert {entities[entity_id] for entity_id in ids} == {1}
        assert max([*entities.values(), *observations.values(), *relations.values()]) == 1
        ring = [r for page in pages for r in page["relations"] if r["type"] == "next"]
        assert len(ring) == 120
