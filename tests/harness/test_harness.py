"""The instruments themselves: a proxy that claims a cut must have cut, a ledger must find what is wrong.

Goal: no later test passes because its instrument did nothing. Method: each instrument is pointed at something known.
"""

import asyncio
import base64
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import neo4j
import pytest
from neo4j.exceptions import DriverError, IncompleteCommit, ServiceUnavailable, SessionExpired, TransientError

from tests.conftest import Database
from tests.harness.bolt_proxy import STEPS, BoltProxy
from tests.harness.canary import Canaries
from tests.harness.clock import ShiftedClock
from tests.harness.ledger import WriteLedger
from tests.harness.tally import TALLY

RUN = os.urandom(4).hex()


@pytest.fixture
def proxy(database: Database) -> Iterator[BoltProxy]:
    """A proxy before this run's Neo4j."""
    made = BoltProxy(database.bolt_url).start()
    yield made
    made.stop()


@pytest.fixture
def driver(proxy: BoltProxy, database: Database) -> Iterator[neo4j.Driver]:
    """A driver that goes through the proxy and tries nothing again."""
    with neo4j.GraphDatabase.driver(
        proxy.url, auth=(database.user, database.password), telemetry_disabled=True
    ) as made:
        yield made


def write(driver: neo4j.Driver, key: str) -> None:
    """One explicit transaction that leaves a mark."""
    with driver.session() as session, session.begin_transaction() as tx:
        tx.run(
            "CREATE (:HarnessMark {key: $key}) WITH 1 AS x UNWIND range(1, 3) AS n RETURN n", key=RUN + key
        ).consume()
        tx.run("UNWIND range(1, 3) AS n RETURN n").fetch(3)
        tx.commit()


def marks(database: Database, key: str) -> int:
    """How often the mark is there, asked past the proxy; takes it away."""
    with neo4j.GraphDatabase.driver(database.bolt_url, auth=(database.user, database.password)) as driver:
        records, _, _ = driver.execute_query(
            "MATCH (m:HarnessMark {key: $key}) WITH collect(m) AS marks FOREACH (m IN marks | DELETE m) "
            "RETURN size(marks) AS found",
            key=RUN + key,
        )
    return int(records[0]["found"])


def test_without_a_fault_everything_passes(
    proxy: BoltProxy, driver: neo4j.Driver, database: Database
) -> None:
    write(driver, "clean")
    assert marks(database, "clean") == 1
    assert proxy.steps["commit-before"] == 1
    assert proxy.steps["record"] > 3
    assert proxy.await_idle()


@pytest.mark.parametrize("step", [step for step in STEPS if step != "reset"])
def test_a_cut_happens_at_its_step_and_only_a_commit_that_was_forwarded_counts(
    step: str, proxy: BoltProxy, driver: neo4j.Driver, database: Database
) -> None:
    fault = proxy.arm(step)  # type: ignore[arg-type]
    with pytest.raises((ServiceUnavailable, SessionExpired, IncompleteCommit, DriverError)) as caught:
        write(driver, step)
    assert fault.fired == 1
    if step.startswith("commit"):
        assert isinstance(caught.value, IncompleteCommit)
    deadline = time.monotonic() + 2
    found = marks(database, step)
    while step == "commit-after" and not found and time.monotonic() < deadline:
        found = marks(database, step)
    assert found == (1 if step == "commit-after" else 0)
    proxy.disarm()
    write(driver, step)
    assert marks(database, step) == 1


def test_a_made_up_failure_is_met_by_the_driver_and_a_cut_at_the_reset_after_it(
    proxy: BoltProxy, driver: neo4j.Driver, database: Database
) -> None:
    failure, reset = proxy.arm("run", "fail"), proxy.arm("reset")
    with pytest.raises(TransientError):
        write(driver, "failed")
    assert marks(database, "failed") == 0
    write(driver, "failed")
    assert (failure.fired, reset.fired) == (1, 1)
    assert marks(database, "failed") == 1


def test_a_delay_delays(proxy: BoltProxy, driver: neo4j.Driver, database: Database) -> None:
    write(driver, "slow")
    proxy.arm("commit-after", "delay", delay_s=0.4)
    started = time.monotonic()
    write(driver, "slow")
    assert time.monotonic() - started >= 0.4
    assert marks(database, "slow") == 2


def test_refused_and_dropped_connections(proxy: BoltProxy, driver: neo4j.Driver, database: Database) -> None:
    write(driver, "dropped")
    proxy.refuse = True
    proxy.drop_all()
    with pytest.raises((ServiceUnavailable, SessionExpired)):
        write(driver, "dropped")
    proxy.disarm()
    write(driver, "dropped")
    assert marks(database, "dropped") == 2


def test_the_ledger_finds_every_kind_of_wrong() -> None:
    ledger = WriteLedger()
    ledger.record(["a", "b"], "acked")
    ledger.record(["c", "d"], "unknown")
    ledger.record(["e"], "refused")
    assert ledger.problems(["a", "b"]) == ledger.problems(["a", "b", "c", "d"]) == []
    assert ledger.problems(["a"]) == [
        "acknowledged, but lost: ['b']",
        "a part of a batch: ['a'] of ['a', 'b']",
    ]
    assert ledger.problems(["a", "b", "b"]) == ["b is there 2 times"]
    assert ledger.problems(["a", "b", "c"]) == ["a part of a batch: ['c'] of ['c', 'd']"]
    assert ledger.problems(["a", "b", "e"]) == ["refused, but there: ['e']"]
    assert ledger.problems(["a", "b", "x"]) == ["nobody wrote x"]


def test_canaries_are_found_wherever_they_hide() -> None:
    canaries = Canaries()
    mine, foreign = canaries.of("mine"), canaries.of("foreign")
    assert canaries.found(f"text {mine}".encode(), ["mine"]) == []
    assert canaries.found(f"{{'{foreign.upper()}'}}".encode(), ["mine"]) == ["foreign"]
    for padding in ("", "x", "yy"):
        cursor = base64.urlsafe_b64encode(f'["{padding}", "{foreign}", 7]'.encode())
        assert canaries.found(cursor, ["mine"]) == ["foreign"]
    request = httpx.Request("GET", "http://x")
    with pytest.raises(AssertionError):
        canaries.check(httpx.Response(200, headers={"x-note": foreign}, request=request), ["mine"])
    TALLY["foreign canaries found"] -= 1  # this one was meant to be found


def test_the_shifted_clock_moves_the_wall_clock_alone(tmp_path: Path) -> None:
    clock = ShiftedClock.make(tmp_path)
    if clock is None:
        pytest.skip("no C compiler: the wall clock of a process cannot be moved")
    clock.shift(-3600)
    code = "import time, datetime; print(time.time(), datetime.datetime.now().timestamp(), time.monotonic())"
    out = subprocess.run(
        [sys.executable, "-c", code], env=clock.env, capture_output=True, text=True, check=True
    )
    wall, date, monotonic = (float(figure) for figure in out.stdout.split())
    assert abs(wall - (time.time() - 3600)) < 30
    assert abs(date - wall) < 1
    assert abs(monotonic - time.monotonic()) < 30


async def test_the_event_loop_of_the_proxy_is_its_own(proxy: BoltProxy) -> None:
    assert proxy._loop is not asyncio.get_running_loop()
