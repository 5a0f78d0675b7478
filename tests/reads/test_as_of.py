"""as_of: the read at a past instant equals the read that was recorded then (spec 01, 03).

Goal: for random histories of creating, renaming, aliasing, relating, retiring and reviving entities, facts, tasks and
links, every read as of each instant gives what it gave at that instant. Method: hypothesis draws the histories; each is
played over HTTP in a scope of its own with a recording of every read after every step, and read again when it is two
seconds past. Masked is what is no part of history (`every_read.MASKED`). Not covered: pools that are full, of which a
search of the past has the newest.
"""

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import World
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY
from tests.reads.every_read import every_read

NAMES = ["Elm", "Fir", "Oak", "Ash"]
ALIASES = ["Tree", "Wood"]
FACTS = ["is green", "is tall as the oak"]
TASKS = ["T-1", "T-2"]
TITLES = ["Fell the green oak", "Plant a fir"]
PHRASES = ["who is tall, Elm or Oak?", "green fir", "plant teh wood"]

name = st.sampled_from(NAMES)
steps = st.one_of(
    st.tuples(st.just("create"), name, st.sampled_from([None, "tree"])),
    st.tuples(st.just("observe"), name, st.sampled_from(FACTS)),
    st.tuples(st.just("unobserve"), name, st.sampled_from(FACTS)),
    st.tuples(st.just("rename"), name, name),
    st.tuples(st.just("alias"), name, st.sampled_from([*ALIASES, *NAMES])),
    st.tuples(st.just("unalias"), name, st.sampled_from([*ALIASES, *NAMES])),
    st.tuples(st.just("relate"), name, name),
    st.tuples(st.just("unrelate"), name, name),
    st.tuples(st.just("retire"), name, st.none()),
    st.tuples(st.just("task"), st.sampled_from(TASKS), st.sampled_from(TITLES)),
    st.tuples(st.just("retitle"), st.sampled_from(TASKS), st.sampled_from(TITLES)),
    st.tuples(st.just("link"), st.sampled_from(TASKS), name),
    st.tuples(st.just("unlink"), st.sampled_from(TASKS), name),
    st.tuples(st.just("claim"), name, st.sampled_from(["tall", "green"])),
)


def play(agent: Caller, step: tuple[str, str, Any]) -> None:
    """One step of a history."""
    op, subject, other = step
    match op:
        case "create":
            agent.call("create_entities", entities=[{"name": subject, "kind": other}])
        case "observe":
            items = [{"entity": subject, "contents": [other]}]
            agent.call("add_observations", items=items, provenance={"session_id": "walk"})
        case "unobserve":
            agent.call("delete_observations", items=[{"entity": subject, "contents": [other]}])
        case "rename":
            agent.call("update_entities", items=[{"entity": subject, "name": other}])
        case "alias":
            agent.call("add_aliases", items=[{"entity": subject, "aliases": [other]}])
        case "unalias":
            agent.call("remove_aliases", items=[{"entity": subject, "aliases": [other]}])
        case "relate":
            agent.call("create_relations", relations=[{"from": subject, "type": "near", "to": other}])
        case "unrelate":
            agent.call("delete_relations", relations=[{"from": subject, "type": "near", "to": other}])
        case "retire":
            agent.call("delete_entities", names=[subject])
        case _:
            play_work(agent, step)


def play_work(agent: Caller, step: tuple[str, str, Any]) -> None:
    """One step of a history: tasks, their links, and claims."""
    op, subject, other = step
    match op:
        case "task":
            agent.call("create_tasks", tasks=[{"external_id": subject, "title": other, "due": "2026-12-01"}])
        case "retitle":
            agent.call("update_tasks", items=[{"task": subject, "title": other, "status": "doing"}])
        case "link":
            agent.call("link_task_entity", task=subject, entity=other)
        case "unlink":
            agent.call("unlink_task_entity", task=subject, entity=other, reason="no more")
        case "claim":
            claim = {"subject": subject, "predicate": "is", "object": other, "confidence": 0.5}
            evidence = [{"kind": "observation", "ref": "walk"}]
            agent.post("propose_claims", {"claims": [{**claim, "evidence": evidence}]})


def read_all(agent: Caller, **options: Any) -> dict[str, Any]:
    """Everything that the reads tell."""
    project = agent.call("whoami")["default_scope"]
    return every_read(agent, [*NAMES, *ALIASES], PHRASES, project, TASKS, **options)


def test_the_past_reads_as_it_was(world: World) -> None:
    numbers = iter(range(10_000))
    recorded: list[tuple[Caller, str, dict[str, Any]]] = []

    @settings(
        max_examples=int(os.environ.get("GRAPHSVC_TEST_PASTS", "4")),
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(steps, min_size=3, max_size=8))
    def record(history: list[tuple[str, str, Any]]) -> None:
        agent = world.agent(**{f"h{next(numbers)}": "read,write"})
        for first in NAMES[:2]:
            play(agent, ("create", first, None))
        for step in history:
            play(agent, step)
            answer = read_all(agent)
            recorded.append((agent, datetime.now(UTC).isoformat(), answer))
            time.sleep(0.003)
        TALLY["histories read again as of each of their instants"] += 1

    record()
    time.sleep(2.1)
    for agent, instant, answer in recorded:
        then = read_all(agent, as_of=instant)
        for what, told in answer.items():
            assert then[what] == told, (what, instant)
            TALLY["reads of the past compared with what was recorded then"] += 1


def test_the_present_and_the_future_are_not_past(agent: Caller) -> None:
    for as_of in (datetime.now(UTC), datetime.now(UTC) + timedelta(days=1)):
        response = agent.post("open_nodes", {"names": ["Elm"], "as_of": as_of.isoformat()})
        assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "$.as_of")
    assert agent.post("open_nodes", {"names": ["Elm"], "as_of": "2026-03-01T10:00:00"}).status_code == 422
    assert agent.call("open_nodes", names=["Elm"], as_of="2020-01-01T00:00:00Z")["missing"] == ["Elm"]


def test_the_past_is_read_under_todays_grants(world: World) -> None:
    one = world.agent(a="read,write")
    made = one.call("create_entities", entities=[{"name": "Elm"}])["results"][0]["id"]
    then = datetime.now(UTC).isoformat()
    time.sleep(2.1)
    outside = world.agent(b="read,write")
    answer = outside.call("open_nodes", names=[{"id": made}, "Elm"], as_of=then)
    assert (answer["entities"], len(answer["missing"])) == ([], 2)
