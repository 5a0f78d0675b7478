"""Near misses of reported faults (see test_reported_faults): what almost went wrong elsewhere is right here.

Goal: time spelt in two ways is one instant at exact boundaries, in filters and in reads of the past; the first hit being
too large does not empty an answer; who asks is never shared between requests; one graph a loop. Method: over HTTP; the
last one on the driver itself. Empty names, limits of zero, long values and ties between pages are in
test_reported_faults_of_reads.py, standard output of MCP in tests/mcp/test_stdio.py.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from graphsvc.graph import Graph
from tests.conftest import Database, World
from tests.harness.service_process import Caller


@pytest.mark.parametrize(
    "at", ["2026-03-01T02:00:00Z", "2026-03-01T02:00:00.000000+00:00", "2026-03-01T10:00:00+08:00"]
)
def test_an_instant_is_one_however_it_is_spelt_at_an_exact_boundary(agent: Caller, at: str) -> None:
    content = {"text": "dated", "observed_at": "2026-03-01T10:00:00+08:00"}
    agent.call("create_entities", entities=[{"name": "Dated", "observations": [content]}])
    since = agent.call("search_nodes", query="dated", filters={"since": at})["evidence"]
    until = agent.call("search_nodes", query="dated", filters={"until": at})["evidence"]
    assert [len(hit["observations"]) for hit in since] == [1]
    assert until == []


def test_23_the_past_is_read_as_of_an_instant_however_it_is_spelt(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Elm", "observations": ["first"]}])
    time.sleep(0.02)
    then = datetime.now(UTC)
    time.sleep(0.02)
    agent.call("add_observations", items=[{"entity": "Elm", "contents": ["second"]}])
    time.sleep(2.1)
    far = then.astimezone(timezone(timedelta(hours=8)))
    answers = [
        agent.call(operation, **payload, as_of=spelt)
        for operation, payload in (
            ("open_nodes", {"names": ["Elm"]}),
            ("search_nodes", {"query": "first second"}),
        )
        for spelt in (then.isoformat(), then.isoformat().replace("+00:00", "Z"), far.isoformat())
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[3] == answers[4] == answers[5]
    assert [o["text"] for o in answers[0]["entities"][0]["observations"]] == ["first"]
    assert [o["text"] for o in answers[3]["evidence"][0]["observations"]] == ["first"]
    for operation in ("read_graph", "list_changes", "list_claims"):
        naive = agent.post(operation, {"as_of": then.replace(tzinfo=None).isoformat()})
        assert naive.status_code == 422, operation


def test_a_first_hit_over_the_budget_is_windowed_and_does_not_empty_the_answer(agent: Caller) -> None:
    long = "needle " + "straw " * 1_300
    agent.call("create_entities", entities=[{"name": "Stack", "observations": [long, "a needle"]}])
    answer = agent.call("search_nodes", query="needle straw", budget={"unit": "chars", "limit": 2_000})
    assert [hit["entity"]["name"] for hit in answer["evidence"]] == ["Stack"]
    assert any("needle" in o["text"] for o in answer["evidence"][0]["observations"])


def test_who_asks_is_never_shared_between_requests_at_once(world: World) -> None:
    callers = [world.agent(**{f"n{i}": "read,write"}) for i in range(4)]
    for i, caller in enumerate(callers):
        caller.call("create_entities", entities=[{"name": "Harbor", "observations": [f"of tenant {i}"]}])

    def ask(number: int) -> tuple[int, list[str]]:
        who = number % len(callers)
        evidence = callers[who].call("search_nodes", query="Harbor tenant")["evidence"]
        return who, [o["text"] for hit in evidence for o in hit["observations"]]

    with ThreadPoolExecutor(8) as pool:
        for who, found in pool.map(ask, range(40)):
            assert found == [f"of tenant {who}"]


def test_a_graph_of_one_event_loop_is_not_left_to_the_next(database: Database) -> None:
    async def once() -> None:
        graph = Graph.connect(database.bolt_url, database.user, database.password)
        try:
            await graph.ping()
        finally:
            await graph.close()

    for _ in range(2):
        asyncio.run(once())
