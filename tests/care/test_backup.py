"""Goal: a backup taken while others write is the graph of one moment: nothing acknowledged before it is lost, the log is
whole, nothing is half there (spec 08, 10).

Method: real writers over HTTP on two service processes and a real Neo4j; while the gate for writes is closed, the whole
graph is read a second time, apart from the backup, and must be the same lines; then the backup is restored.
"""

import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from graphsvc.errors import WritesPaused
from graphsvc.graph import Graph, Transaction
from graphsvc.service import exporting
from graphsvc.service.doctor import diagnose
from graphsvc.service.exporting import export_graph
from graphsvc.service.replay import replay, verify
from graphsvc.service.write_gate import ClosedGate, GateLost, closed_gate
from graphsvc.settings import Settings
from tests.audit.test_audit import carry_out
from tests.care.conftest import Empty, bring, export, on, service_on
from tests.conftest import Database
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess

STEPS: list[tuple[Any, ...]] = [
    ("create", "Elm", "tall", "tree"),
    ("create", "Fir", "old", None),
    ("observe", "Elm", "by the river"),
    ("alias", "Elm", "Ash"),
    ("relate", "Elm", "Fir", {"since": 1}),
    ("task", "T1", "old"),
    ("link", "T1", "Elm"),
    ("claim", "Elm", "tall"),
    ("forget", "Elm", "tall"),
    ("delete", "Fir"),
    ("rename", "Elm", "Larch", "bush"),
    ("unrelate", "Elm", "Fir"),
    ("unlink", "T1", "Elm"),
    ("rename", "Larch", "Elm", None),
    ("drop", 0),
    ("return", 0),
]


class Writers:
    """Threads that write whatever can be written, until they are told to stop."""

    def __init__(self, services: list[ServiceProcess]) -> None:
        self.acknowledged: list[tuple[float, str]] = []
        self.failures: list[str] = []
        self.stopped = threading.Event()
        self.threads = [
            threading.Thread(target=self.write, args=(service, number))
            for number, service in enumerate(services * 2)
        ]

    def __enter__(self) -> "Writers":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def await_more(self, count: int) -> None:
        """Until so many more writes are acknowledged."""
        wanted, until = len(self.acknowledged) + count, time.monotonic() + 120
        while len(self.acknowledged) < wanted and not self.failures:
            assert time.monotonic() < until, "the writers do not get on"
            time.sleep(0.05)

    def write(self, service: ServiceProcess, writer: int) -> None:
        caller = Caller(service.base_url, service.token())
        ids: list[str] = []
        number = 0
        while not self.stopped.is_set():
            number += 1
            try:
                carry_out(caller, STEPS[number % len(STEPS)], number, ids)
                name = f"Mark {writer} {number}"
                response = caller.post(
                    "create_entities", {"entities": [{"name": name, "observations": ["here"]}]}
                )
                if response.status_code == 200:
                    self.acknowledged.append((time.monotonic(), name))
                elif response.status_code != 503:
                    self.failures.append(response.text)
            except AssertionError as error:
                if "writes_paused" not in str(error):
                    self.failures.append(str(error))
        caller.close()


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    """Two homes with one key, as replicas share it."""
    made = [tmp_path / "one", tmp_path / "two"]
    for each in made:
        each.mkdir()
        (each / "audit.key").write_text("k" * 64)
        (each / "audit.key").chmod(0o600)
    return made


@pytest.fixture
def services(empty: Empty, homes: list[Path]) -> Iterator[list[ServiceProcess]]:
    """Two service processes on one empty database."""
    database = empty()
    made = [service_on(database, home).start() for home in homes]
    yield made
    for each in made:
        each.stop()


def test_a_backup_under_write_load_is_the_graph_of_one_moment(
    services: list[ServiceProcess],
    homes: list[Path],
    empty: Empty,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = Database(services[0].bolt_url, services[0].user, services[0].password, "managed")
    apart: list[list[bytes]] = []
    closed_at: list[float] = []

    @asynccontextmanager
    async def watched(graph: Graph) -> AsyncIterator[ClosedGate]:
        """The gate; before it opens again, the graph is read a second time, all of it."""
        async with closed_gate(graph) as gate:
            closed_at.append(time.monotonic())
            yield gate
            lines = exporting._Lines(tmp_path / f"apart-{len(apart)}.sqlite")
            await exporting._read(graph, lines, None, {}, list(exporting.HOUSEKEEPING), lambda _: None)
            apart.append(list(lines.lines()))
            lines.close()

    monkeypatch.setattr(exporting, "closed_gate", watched)
    file = tmp_path / "backup.ndjson"
    with Writers(services) as writers:
        for round_ in range(2):
            writers.await_more(12)
            file.unlink(missing_ok=True)
            export(database, homes[0], file, credentials=True)
            assert file.read_bytes().splitlines()[1:-1] == apart[round_], "a change was overlooked"
        writers.await_more(8)
    assert writers.failures == []
    before = {name for at, name in writers.acknowledged if at < closed_at[-1] - 2}
    after = {name for at, name in writers.acknowledged if at > closed_at[-1] + 1}
    assert len(before) >= 8
    assert after, "writes went on after the pause"
    for each in services:
        each.stop()

    restored = empty()
    bring(restored, homes[0], file)
    found = cypher(
        restored, "MATCH (e:Entity) WHERE e.name STARTS WITH 'Mark' RETURN collect(e.name) AS names"
    )
    assert before <= set(found[0]["names"])
    for check in (verify, replay):
        for report in on(restored, lambda graph, check=check: check(graph, Settings(home=homes[0]))):
            assert report.problems == []
    assert on(restored, diagnose).findings == []


def test_writes_wait_at_the_closed_gate_and_go_on_and_a_second_backup_is_told(
    empty: Empty, tmp_path: Path
) -> None:
    database = empty()

    async def put(tx: Transaction) -> None:
        await tx.run("housekeeping/begin_import", sha256="x")

    async def work(graph: Graph) -> None:
        from graphsvc.graph import DEADLINE  # noqa: PLC0415

        past = graph.past_the_gate()
        async with closed_gate(past) as gate:
            DEADLINE.set(time.monotonic() + 0.8)
            with pytest.raises(WritesPaused):
                await graph.transaction(None, put)
            DEADLINE.set(None)
            with pytest.raises(GateLost):
                async with closed_gate(past):
                    pass
            await gate.confirm()
        await graph.transaction(None, put)
        # One who loses the gate on the way is told, and no file is left.
        async with closed_gate(past) as gate:
            cypher(database, "MATCH (g:WriteGate) SET g.closed_until = datetime() - duration('PT1S')")
            with pytest.raises(GateLost):
                await gate.confirm()
        await export_graph(graph, Settings(home=tmp_path), tmp_path / "file")

    on(database, work)
    assert [path.name for path in tmp_path.glob("*file*")] == ["file"]
