"""F1, F2, F3, F10, F13, F15: the database or the service is killed, stopped, absent, frozen or not what it should be.

Goal: what was acknowledged is there exactly once, what was not is there whole or not at all, and the service comes
back by itself. Method: real processes and real signals; writers keep a ledger of what they were told. Process crashes
only: a loss of power is not tried and not promised.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.faults.conftest import Broken
from tests.faults.history import history_problems
from tests.harness.ledger import WriteLedger
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY

BATCH = 3


def await_true(check: Callable[[], bool], deadline_s: float) -> float:
    """How long it took until the check held; fails after the deadline."""
    started = time.monotonic()
    while time.monotonic() - started < deadline_s:
        try:
            if check():
                return time.monotonic() - started
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"not within {deadline_s} s")


class Writers:
    """Eight writers that create entities with a fact each until they are told to stop."""

    def __init__(self, broken: Broken, caller: Caller, ledger: WriteLedger, start: int) -> None:
        self.ledger, self.stopping = ledger, threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(broken.again(caller), f"{start}-{worker}"))
            for worker in range(8)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, caller: Caller, prefix: str) -> None:
        number = 0
        while not self.stopping.is_set():
            keys = [f"w{prefix}-{number}-{i}" for i in range(BATCH)]
            entities = [{"name": key, "observations": [f"fact of {key}"]} for key in keys]
            self.ledger.attempt(keys, lambda e=entities: caller.post("create_entities", {"entities": e}))  # type: ignore[misc]
            number += 1

    def stop(self) -> None:
        """Let them finish."""
        self.stopping.set()
        for thread in self._threads:
            thread.join(timeout=60)


def check_ledger(broken: Broken, caller: Caller, ledger: WriteLedger) -> None:
    """Everything that the ledger demands, the history, and the keys that must never be null."""
    scope = broken.scope_of(caller)
    rows = broken.rows(
        "MATCH (e:Entity {scope: $scope}) WHERE e.name <> 'warm' RETURN e.name AS name", scope=scope
    )
    assert ledger.problems(row["name"] for row in rows) == []
    facts = broken.rows(
        "MATCH (e:Entity {scope: $scope}) RETURN e.name AS name, COUNT { (e)-[:HAS_OBSERVATION]->() } AS facts",
        scope=scope,
    )
    assert [row for row in facts if row["facts"] != 1] == []
    assert history_problems(broken, scope) == []
    nulls = broken.rows(
        "MATCH (e:Entity) WHERE e.scope IS NULL OR e.name_key IS NULL RETURN count(e) AS found"
    )
    assert nulls[0]["found"] == 0
    TALLY["writes in ledgers"] += len(ledger.entries)


def kill_the_database(make_broken: Callable[..., Broken], neo4j_: Neo4jProcess, times: int) -> None:
    """F1."""
    broken = make_broken(neo4j_, request_deadline_ms="15000")
    broken.service.start()
    caller = broken.caller()
    ledger = WriteLedger()
    for turn in range(times):
        acked = ledger.count("acked")
        writers = Writers(broken, caller, ledger, turn)
        await_true(lambda least=acked + 10: ledger.count("acked") >= least, 60)  # type: ignore[misc]
        neo4j_.kill()
        TALLY["faults injected"] += 1
        time.sleep(0.5)
        assert broken.service.base_url
        assert httpx.get(f"{broken.service.base_url}/live").status_code == 200
        assert httpx.get(f"{broken.service.base_url}/ready", timeout=20).status_code == 503
        writers.stop()
        neo4j_.start()
        back_s = await_true(broken.service.is_ready, 20)
        TALLY["slowest return after kill -9 of Neo4j, in ms"] = max(
            TALLY["slowest return after kill -9 of Neo4j, in ms"], round(back_s * 1e3)
        )
    check_ledger(broken, caller, ledger)


def test_kill_9_of_the_database_loses_nothing(
    make_broken: Callable[..., Broken], own_neo4j: Neo4jProcess
) -> None:
    kill_the_database(make_broken, own_neo4j, 1)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_kill_9_of_the_database_often(make_broken: Callable[..., Broken], own_neo4j: Neo4jProcess) -> None:
    kill_the_database(make_broken, own_neo4j, 20)


def kill_the_service(make_broken: Callable[..., Broken], times: int) -> None:
    """F2."""
    broken = make_broken()
    broken.service.start()
    caller = broken.caller()
    ledger = WriteLedger()
    for turn in range(times):
        acked = ledger.count("acked")
        writers = Writers(broken, caller, ledger, turn)
        await_true(lambda least=acked + 5: ledger.count("acked") >= least, 60)  # type: ignore[misc]
        broken.service.stop(signal.SIGKILL)
        TALLY["faults injected"] += 1
        writers.stop()
        started = time.monotonic()
        broken.service.start()
        TALLY["slowest restart of the service, in ms"] = max(
            TALLY["slowest restart of the service, in ms"], round((time.monotonic() - started) * 1e3)
        )
    assert broken.proxy.await_idle()
    check_ledger(broken, caller, ledger)


def test_kill_9_of_the_service_loses_nothing(make_broken: Callable[..., Broken]) -> None:
    kill_the_service(make_broken, 2)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_kill_9_of_the_service_often(make_broken: Callable[..., Broken]) -> None:
    kill_the_service(make_broken, 100)


def test_sigterm_answers_what_is_in_flight(make_broken: Callable[..., Broken]) -> None:
    """F3: new callers are turned away, the fifty who are inside are answered, and nothing of theirs is lost."""
    broken = make_broken(request_deadline_ms="9500", neo4j_pool_size="60", auth_cache_s="5")
    broken.service.start()
    caller = broken.caller()
    ledger = WriteLedger()
    inside = broken.proxy.arm("commit-before", "delay", times=50, delay_s=4)
    threads = []
    for i in range(50):
        mine, payload = broken.again(caller), {"entities": [{"name": f"t{i}", "observations": ["one"]}]}
        thread = threading.Thread(
            target=ledger.attempt, args=([f"t{i}"], lambda m=mine, p=payload: m.post("create_entities", p))
        )
        thread.start()
        threads.append(thread)
    await_true(lambda: inside.fired >= 45, 20)
    started = time.monotonic()
    assert broken.service.process is not None
    broken.service.process.send_signal(signal.SIGTERM)
    await_true(lambda: turned_away(broken), 1)
    assert broken.service.process.wait(timeout=15) == 0
    TALLY["exit after SIGTERM with 50 in flight, in ms"] = round((time.monotonic() - started) * 1e3)
    for thread in threads:
        thread.join(timeout=20)
    assert ledger.count("acked") == 50
    broken.proxy.disarm()
    broken.service.start()
    check_ledger_names(broken, caller, ledger)


def turned_away(broken: Broken) -> bool:
    """Whether a new caller gets nothing but a refusal."""
    try:
        return httpx.get(f"{broken.service.base_url}/ready", timeout=2).status_code == 503
    except httpx.ConnectError:
        return True


def check_ledger_names(broken: Broken, caller: Caller, ledger: WriteLedger) -> None:
    scope = broken.scope_of(caller)
    rows = broken.rows(
        "MATCH (e:Entity {scope: $scope}) WHERE e.name <> 'warm' RETURN e.name AS name", scope=scope
    )
    assert ledger.problems(row["name"] for row in rows) == []


def test_a_database_that_is_absent_at_boot_and_restarts_under_an_idle_pool(
    make_broken: Callable[..., Broken],
) -> None:
    """F10."""
    broken = make_broken(auth_cache_s="0")
    broken.proxy.refuse = True
    broken.service.start(wait=False)
    await_true(lambda: httpx.get(f"{broken.service.base_url}/live").status_code == 200, 10)
    assert httpx.get(f"{broken.service.base_url}/ready").status_code == 503
    refused = httpx.post(
        f"{broken.service.base_url}/v1/whoami", json={}, headers={"Authorization": "Bearer gsv_x"}
    )
    assert refused.status_code == 503
    broken.proxy.disarm()
    TALLY["ready after the database came, in ms"] = round(await_true(broken.service.is_ready, 10) * 1e3)
    caller = broken.caller()
    for _ in range(2):
        assert {caller.post("open_nodes", {"names": ["x"]}).status_code for _ in range(100)} == {200}
        broken.proxy.drop_all()
        TALLY["faults injected"] += 1
    assert caller.post("create_entities", {"entities": [{"name": "after"}]}).status_code == 200


@pytest.fixture
def schema_version(broken: Broken) -> Iterator[Callable[[int], None]]:
    """A function that sets the recorded schema version; put right afterwards."""
    before = broken.rows("MATCH (v:SchemaVersion) RETURN v.version AS version")[0]["version"]

    def write(version: int) -> None:
        broken.rows(
            "MATCH (v:SchemaVersion) SET v.version = $version RETURN v.version AS version", version=version
        )

    yield write
    write(before)


def test_an_older_schema_is_not_ready_and_says_no_more(
    broken: Broken, schema_version: Callable[[int], None]
) -> None:
    """F15."""
    schema_version(0)
    response = httpx.get(f"{broken.service.base_url}/ready")
    assert (response.status_code, response.json()["type"]) == (503, "/errors/not_ready")
    assert "version" not in response.text
    TALLY["faults injected"] += 1
