"""Goal: the managed Neo4j keeps its promises to whoever starts, kills, doubles or loses something.

Method: real servers in two homes. Starting one takes seconds, so the tests share them and run in the order of this
file: home `a` is first started by two processes at once, home `b` by a process that is killed on the way.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import neo4j
import psutil
import pytest
from neo4j.exceptions import AuthError, ClientError

from graphsvc.neo4j_local import LocalNeo4j, RunningNeo4j
from graphsvc.neo4j_local.class_archive import ClassArchive
from graphsvc.neo4j_local.errors import EndedEarly, PasswordLost, PasswordRefused, StartFailed
from graphsvc.neo4j_local.jars import resolve_jars
from graphsvc.neo4j_local.java import find_java
from graphsvc.neo4j_local.process import is_server
from graphsvc.settings import Settings

SERVICE_URL = "http://127.0.0.1:8737"
HEAP_MB = 256
STARTER = """
import sys, pathlib
from graphsvc.neo4j_local import LocalNeo4j
running = LocalNeo4j(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), heap_mb=256, service_url=sys.argv[3]).start()
print(running.pid)
"""


def local(home: Path) -> LocalNeo4j:
    return LocalNeo4j(home, Settings().cache, heap_mb=HEAP_MB, service_url=SERVICE_URL)


def starter(home: Path) -> "subprocess.Popen[str]":
    """Another process that starts the Neo4j of `home`, as a terminal would: in a group of its own."""
    command = [sys.executable, "-c", STARTER, str(home), str(Settings().cache), SERVICE_URL]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **pipes, text=True, start_new_session=True)  # type: ignore[call-overload,no-any-return]


def query(running: RunningNeo4j, text: str, **parameters: object) -> list[list[object]]:
    credentials = (running.user, running.password_file.read_text())
    with neo4j.GraphDatabase.driver(running.bolt_url, auth=credentials) as driver:
        return [record.values() for record in driver.execute_query(text, parameters).records]  # type: ignore[arg-type]


@dataclass
class ProcessList:
    """Every command line seen on this machine while the block runs."""

    seen: set[str] = field(default_factory=set)
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "ProcessList":
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.05):
            for process in psutil.process_iter(["cmdline"]):
                self.seen.add(" ".join(process.info["cmdline"] or ()))


@dataclass(frozen=True)
class FirstStart:
    """What two processes that started one new home at once saw."""

    database: LocalNeo4j
    pids: list[int]
    commands: set[str] = field(repr=False)

    @property
    def running(self) -> RunningNeo4j:
        running = self.database.status()
        assert running is not None
        return running


@pytest.fixture(scope="module")
def a(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstStart]:
    """Home `a`, first started by two processes at once."""
    home = tmp_path_factory.mktemp("a b ö")  # a path as users have them
    with ProcessList() as processes:
        both = [starter(home) for _ in range(2)]
        answers = [process.communicate(timeout=240) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    yield FirstStart(local(home), [int(out) for out, _ in answers], processes.seen)
    local(home).stop()


@pytest.fixture(scope="module")
def b(a: FirstStart, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalNeo4j]:
    """Home `b`, whose starter was killed with its whole group as soon as Neo4j's process was there."""
    home = tmp_path_factory.mktemp("b")
    database = local(home)
    process = starter(home)
    give_up_at = time.monotonic() + 120
    while not database.layout.process_file.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up_at
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    yield database
    database.stop()


def test_two_starts_at_once_make_one_server(a: FirstStart) -> None:
    assert a.pids[0] == a.pids[1] == a.running.pid
    mark = f"@{a.database.layout.server_arguments}"
    assert [p.pid for p in psutil.process_iter() if is_server(p, mark)] == [a.running.pid]


def test_start_of_a_running_server_is_that_server(a: FirstStart) -> None:
    assert a.database.start() == a.running
    assert a.database.answers()


def test_password_is_private_and_was_never_in_a_process_list(a: FirstStart) -> None:
    password_file = a.running.password_file
    password = password_file.read_text()
    assert len(password) >= 32
    assert password_file.stat().st_mode & 0o777 == 0o600
    assert a.database.layout.root.stat().st_mode & 0o777 == 0o700
    assert any("admin.args" in command for command in a.commands), (
        "the tool that sets it was not seen at work"
    )
    assert not any(password in command for command in a.commands)
    assert not (a.database.layout.root / "admin.args").exists()


def test_default_password_is_refused(a: FirstStart) -> None:
    with (
        neo4j.GraphDatabase.driver(a.running.bolt_url, auth=("neo4j", "neo4j")) as driver,
        pytest.raises(AuthError),
    ):
        driver.verify_connectivity()


def test_it_listens_on_loopback_alone(a: FirstStart) -> None:
    listening = [c for c in psutil.Process(a.running.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert len(listening) == 2
    assert {connection.laddr.ip.removeprefix("::ffff:") for connection in listening} == {"127.0.0.1"}


def test_it_serves_the_browser_and_tells_clients_the_real_port(a: FirstStart) -> None:
    page = httpx.get(f"{a.running.http_url}/browser/", timeout=30)
    assert "Neo4j Browser" in page.text
    assert httpx.get(a.running.http_url, timeout=30).json()["bolt_direct"] == a.running.bolt_url


def test_settings_are_in_force(a: FirstStart) -> None:
    rows = query(a.running, "SHOW SETTINGS YIELD name, value RETURN name, value")
    settings = {str(name): value for name, value in rows}
    expected = {
        "db.transaction.timeout": "30s",
        "db.transaction.monitor.check.interval": "500ms",
        "db.memory.transaction.max": "128.00MiB",
        "server.memory.pagecache.size": "128.00MiB",
        "db.temporal.timezone": "UTC",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "browser.remote_content_hostname_whitelist": "127.0.0.1,localhost",
        "browser.post_connect_cmd": f"style {SERVICE_URL}/browser/style.grass; play {SERVICE_URL}/browser/guide.html",
    }
    assert {name: settings.get(name) for name in expected} == expected
    command_line = a.database.layout.server_arguments.read_text()
    assert f'"-Xmx{HEAP_MB}m"' in command_line


def test_files_of_this_machine_cannot_be_read_by_a_query(a: FirstStart) -> None:
    with pytest.raises(ClientError, match=r"(?i)configuration|import"):
        query(a.running, "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line")


def test_wrong_password_file_is_named_and_the_server_left_alone(a: FirstStart) -> None:
    password_file = a.running.password_file
    right = password_file.read_text()
    password_file.write_text("changed by somebody")
    try:
        with pytest.raises(PasswordRefused, match="password"):
            a.database.start()
    finally:
        password_file.write_text(right)
    assert a.database.status() == a.running


def test_server_whose_starter_was_killed_is_found_and_reused(b: LocalNeo4j) -> None:
    orphan = b.status()
    assert orphan is not None
    assert b.start() == orphan
    assert b.answers()


def test_lost_process_file_does_not_hide_a_running_server(b: LocalNeo4j) -> None:
    running = b.status()
    b.layout.process_file.unlink()
    assert b.status() == running


def test_two_homes_do_not_disturb_each_other(a: FirstStart, b: LocalNeo4j) -> None:
    other = b.status()
    assert other is not None
    query(a.running, "CREATE (:Mark {home: 'a'})")
    query(other, "CREATE (:Mark {home: 'b'})")
    assert query(a.running, "MATCH (m:Mark) RETURN m.home") == [["a"]]
    assert query(other, "MATCH (m:Mark) RETURN m.home") == [["b"]]
    assert a.running.password_file.read_text() != other.password_file.read_text()


def test_frozen_server_is_not_waited_for_for_ever_and_ends_by_force(b: LocalNeo4j) -> None:
    running = b.status()
    assert running is not None
    psutil.Process(running.pid).suspend()
    assert b.status() == running
    with pytest.raises(StartFailed, match="did not answer within"):
        b.start(deadline_s=0.5)
    assert b.stop(deadline_s=0.5)
    assert b.status() is None
    assert not psutil.pid_exists(running.pid) or psutil.Process(running.pid).status() == psutil.STATUS_ZOMBIE


def test_killed_server_starts_anew_on_the_same_data_and_ports(a: FirstStart) -> None:
    before = a.running
    psutil.Process(before.pid).kill()
    psutil.wait_procs([psutil.Process(before.pid)] if psutil.pid_exists(before.pid) else [], timeout=10)
    assert a.database.status() is None
    again = a.database.start()
    assert again.pid != before.pid
    assert (again.bolt_url, again.http_url) == (before.bolt_url, before.http_url)
    assert query(again, "MATCH (m:Mark) RETURN m.home") == [["a"]]


def test_clean_stop_is_clean_and_leaves_a_class_archive(a: FirstStart) -> None:
    assert a.database.stop()
    assert a.database.status() is None
    assert a.database.last_log_lines().rstrip().endswith("Stopped.")
    assert not a.database.stop(), "a second stop has nothing to stop"
    cache = Settings().cache
    assert ClassArchive.of(cache, a.database.layout.root, find_java(), resolve_jars(cache)).ready.exists()


def test_failed_start_shows_why_and_leaves_no_process(a: FirstStart) -> None:
    impossible = LocalNeo4j(a.database.layout.home, Settings().cache, heap_mb=1_000_000_000)
    with pytest.raises(EndedEarly, match=r"(?i)heap|memory"):
        impossible.start()
    assert impossible.status() is None


def test_lost_password_file_is_said_before_anything_is_started(a: FirstStart) -> None:
    password_file = a.database.layout.password_file
    kept = password_file.rename(password_file.with_name("kept"))
    with pytest.raises(PasswordLost, match="put it back"):
        a.database.start()
    assert not password_file.exists()
    kept.rename(password_file)


@pytest.mark.long
def test_first_start_cut_short_before_the_password_took_is_begun_anew(tmp_path: Path) -> None:
    """What a kill at the wrong moment leaves: users with another password, and a home where nobody was ever served."""
    database = local(tmp_path)
    running = database.start()
    database.stop()
    running.password_file.write_text("another password, which the data does not know")
    database.layout.first_start_done.unlink()
    try:
        again = database.start()
        assert query(again, "RETURN 1") == [[1]]
        assert len(list(database.layout.root.glob("data-of-unfinished-start-*"))) == 1
    finally:
        database.stop()
