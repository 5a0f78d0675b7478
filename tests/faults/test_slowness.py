"""F5, F9, F11, F14: a slow or frozen database, an exhausted pool, clocks that jump, callers that hang up.

Goal: every caller hears something typed within the deadline and half a second; nothing is left running; the service is
itself again at once. Method: delays in the proxy, SIGSTOP, a movable wall clock, clients that break off.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.faults.conftest import Broken
from tests.faults.history import history_problems
from tests.faults.test_processes import await_true
from tests.harness.clock import ShiftedClock
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY

DEADLINE_S = 1.5
GRACE_S = 0.5
TYPED = {
    "/errors/deadline_exceeded",
    "/errors/database_unavailable",
    "/errors/outcome_unknown",
    "/errors/overloaded",
}


def slow(make_broken: Callable[..., Broken], *args: Neo4jProcess, **settings: str) -> Broken:
    """A service with a short deadline."""
    broken = make_broken(
        *args, request_deadline_ms=str(round(DEADLINE_S * 1e3)), auth_cache_s="5", **settings
    )
    broken.service.start()
    return broken


def timed(caller: Caller, operation: str, payload: dict[str, object]) -> tuple[httpx.Response, float]:
    """A response and how long it took."""
    started = time.monotonic()
    response = caller.post(operation, payload)
    return response, time.monotonic() - started


@pytest.mark.parametrize("step", ["run", "pull", "record", "commit-before", "commit-after"])
def test_a_step_that_takes_for_ever_ends_at_the_deadline(
    step: str, make_broken: Callable[..., Broken]
) -> None:
    broken = slow(make_broken)
    caller = broken.caller()
    caller.call("create_entities", entities=[{"name": "Elm"}])
    broken.proxy.arm(step, "delay", delay_s=30)  # type: ignore[arg-type]
    payload = {"items": [{"entity": "Elm", "contents": ["slow"]}]}
    response, took_s = timed(caller, "add_observations", payload)
    TALLY["faults injected"] += 1
    assert took_s < DEADLINE_S + GRACE_S
    assert response.json()["type"] in TYPED, response.text
    if step.startswith("commit"):
        assert response.json()["type"] == "/errors/outcome_unknown"
    broken.proxy.disarm()
    await_true(lambda: broken.open_transactions() == [], 10)
    again, took_s = timed(caller, "add_observations", payload)
    assert (again.status_code, took_s < DEADLINE_S) == (200, True)
    texts = [o["text"] for o in caller.call("open_nodes", names=["Elm"])["entities"][0]["observations"]]
    assert texts == ["slow"]
    assert history_problems(broken, caller.call("whoami")["default_scope"]) == []


def test_a_frozen_database_is_told_in_time_and_forgotten_when_it_wakes(
    make_broken: Callable[..., Broken], own_neo4j: Neo4jProcess
) -> None:
    broken = slow(make_broken, own_neo4j)
    caller = broken.caller()
    caller.call("create_entities", entities=[{"name": "Elm"}])
    own_neo4j.freeze()
    try:
        for operation, payload in (
            ("open_nodes", {"names": ["Elm"]}),
            ("search_nodes", {"query": "Elm", "pointers": True}),
            ("add_observations", {"items": [{"entity": "Elm", "contents": ["frozen"]}]}),
        ):
            response, took_s = timed(caller, operation, payload)
            TALLY["faults injected"] += 1
            assert took_s < DEADLINE_S + GRACE_S
            assert response.json()["type"] in TYPED
        assert httpx.get(f"{broken.service.base_url}/live", timeout=1).status_code == 200
        assert httpx.get(f"{broken.service.base_url}/ready", timeout=5).status_code == 503
    finally:
        own_neo4j.thaw()
    await_true(lambda: caller.post("open_nodes", {"names": ["Elm"]}).status_code == 200, 5)
    await_true(lambda: broken.open_transactions() == [], 10)


def test_an_exhausted_pool_refuses_and_recovers(make_broken: Callable[..., Broken]) -> None:
    broken = make_broken(neo4j_pool_size="4", requests_in_flight_max="40", request_deadline_ms="2000")
    broken.service.start()
    caller = broken.caller()
    caller.call("create_entities", entities=[{"name": "Elm"}])
    broken.proxy.delay_s = 0.3
    live_s: list[float] = []
    done = threading.Event()

    def watch() -> None:
        with httpx.Client(base_url=broken.service.base_url) as client:
            while not done.wait(0.05):
                started = time.monotonic()
                assert client.get("/live").status_code == 200
                live_s.append(time.monotonic() - started)

    watcher = threading.Thread(target=watch)
    watcher.start()
    callers = [broken.again(caller) for _ in range(64)]
    with ThreadPoolExecutor(64) as pool:
        responses = list(pool.map(lambda c: c.post("open_nodes", {"names": ["Elm"]}), callers))
    done.set()
    watcher.join()
    refused = [response for response in responses if response.status_code != 200]
    assert refused
    assert {response.status_code for response in refused} <= {503, 504}
    assert all(int(response.headers["retry-after"]) <= 2 for response in refused)
    assert any(response.json()["type"] == "/errors/overloaded" for response in refused)
    live_s.sort()
    TALLY["/live while the pool is exhausted, median in ms"] = round(live_s[len(live_s) // 2] * 1e3)
    broken.proxy.disarm()
    await_true(lambda: caller.post("open_nodes", {"names": ["Elm"]}).status_code == 200, 5)
    with ThreadPoolExecutor(8) as pool:
        after = list(pool.map(lambda c: c.post("open_nodes", {"names": ["Elm"]}).status_code, callers[:32]))
    assert set(after) == {200}, "connections leaked from the pool"
    TALLY["faults injected"] += 1


def test_the_wall_clock_may_jump(make_broken: Callable[..., Broken], tmp_path: Path) -> None:
    """The order of things comes from the database; deadlines from a clock that never jumps."""
    clock = ShiftedClock.make(tmp_path)
    if clock is None:
        pytest.skip("no C compiler: the wall clock of a process cannot be moved")
    broken = make_broken()
    broken.service.extra_env |= clock.env
    clock.shift(-3_600)
    broken.service.start()
    caller = broken.caller()
    scope = caller.call("whoami")["default_scope"]
    seen: list[str] = []
    for number, shift_s in enumerate([-3_600, 3_600, -86_400, 0, 7_200, -7_200] * 5):
        clock.shift(shift_s)
        TALLY["faults injected"] += 1
        caller.call("create_entities", entities=[{"name": "Elm", "observations": [f"fact {number}"]}])
        if number % 3 == 0:
            assert caller.call("delete_entities", names=["Elm"])["retired"] == 1
            caller.call("create_entities", entities=[{"name": "Elm"}])
        record = caller.call("open_nodes", names=["Elm"])["entities"][0]
        seen.append(record["entity"]["last_seen_at"])
        assert caller.call("search_nodes", query=f"fact {number}")["evidence"]
        assert len(record["observations"]) == number + 1
    assert seen == sorted(seen)
    assert history_problems(broken, scope) == []
    rows = broken.rows(
        "MATCH (t:Transition {scope: $scope}) WHERE abs(duration.inSeconds(t.at, datetime()).seconds) > 1800 "
        "RETURN count(t) AS found",
        scope=scope,
    )
    assert rows[0]["found"] == 0, "a time of the service's own clock was stored"


def callers_hang_up(broken: Broken, times: int) -> None:
    """Requests whose callers break off at different moments."""
    caller = broken.caller()
    scope = caller.call("whoami")["default_scope"]
    caller.call("create_entities", entities=[{"name": "Elm"}])

    def hang_up(number: int) -> None:
        payload = {"items": [{"entity": "Elm", "contents": [f"fact {number} a", f"fact {number} b"]}]}
        try:
            httpx.post(
                f"{broken.service.base_url}/v1/add_observations",
                json=payload,
                headers={"Authorization": f"Bearer {caller.token}"},
                timeout=0.002 * (1 + number % 25),
            )
        except httpx.HTTPError:
            TALLY["faults injected"] += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hang_up, range(times)))
    assert broken.proxy.await_idle(30)
    await_true(lambda: broken.open_transactions() == [], 10)
    rows = broken.rows(
        "MATCH (o:Observation {scope: $scope}) WHERE o.text STARTS WITH 'fact' RETURN o.text AS text",
        scope=scope,
    )
    halves = [row["text"].rsplit(" ", 1)[0] for row in rows]
    assert all(halves.count(half) == 2 for half in halves), "half a batch"
    assert history_problems(broken, scope) == []
    operator = Caller(broken.service.base_url, broken.service.token())
    await_true(lambda: "graphsvc_requests_in_flight 0.0" in operator.http.get("/metrics").text, 10)
    operator.close()


def test_callers_may_hang_up(broken: Broken) -> None:
    callers_hang_up(broken, 100)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_callers_may_hang_up(broken: Broken) -> None:
    callers_hang_up(broken, 5_000)
