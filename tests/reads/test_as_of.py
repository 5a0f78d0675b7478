"""as_of: the read at a past instant equals the read that was recorded then (spec 01, 03).

Goal: for random histories of creating, renaming, aliasing, relating, retiring and reviving, opening everything as of
each instant gives what opening everything gave at that instant, `last_seen_at` aside, which is no part of history.
Method: hypothesis draws the histories; each is played over HTTP in a scope of its own with a recording after every
step, and read again when it is two seconds past. Not covered: the other reads, which do not take `as_of` yet.
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

NAMES = ["Elm", "Fir", "Oak", "Ash"]
ALIASES = ["Tree", "Wood"]
FACTS = ["is green", "is tall"]

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
)


def play(agent: Caller, step: tuple[str, str, Any]) -> None:
    """One step of a history."""
    op, subject, other = step
    match op:
        case "create":
            agent.call("create_entities", entities=[{"name": subject, "kind": other}])
        case "observe":
            agent.call("add_observations", items=[{"entity": subject, "contents": [other]}])
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


def opened(agent: Caller, **options: Any) -> dict[str, Any]:
    """All that there is, without what is no part of history."""
    answer = agent.call("open_nodes", names=[*NAMES, *ALIASES], neighbours=True, **options)
    for record in answer["entities"]:
        record["entity"].pop("last_seen_at")
        for observation in record["observations"]:
            observation.pop("last_seen_at")
    answer.pop("accounting")
    return answer


def test_the_past_reads_as_it_was(world: World) -> None:
    numbers = iter(range(10_000))
    recorded: list[tuple[Caller, str, dict[str, Any]]] = []

    @settings(
        max_examples=int(os.environ.get("GRAPHSVC_TEST_PASTS", "50")),
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(steps, min_size=3, max_size=12))
    def record(history: list[tuple[str, str, Any]]) -> None:
        agent = world.agent(**{f"h{next(numbers)}": "read,write"})
        for first in NAMES[:2]:
            play(agent, ("create", first, None))
        for step in history:
            play(agent, step)
            answer = opened(agent)
            recorded.append((agent, datetime.now(UTC).isoformat(), answer))
            time.sleep(0.003)
        TALLY["histories read again as of each of their instants"] += 1

    record()
    time.sleep(2.1)
    for agent, instant, answer in recorded:
        assert opened(agent, as_of=instant) == answer, instant


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
