"""Runs Neo4j Community for one home: start, stop, status."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import neo4j
import psutil
from filelock import FileLock, Timeout
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from graphsvc.neo4j_local import config, process
from graphsvc.neo4j_local.errors import LocalNeo4jError, PasswordLostError, StartFailedError
from graphsvc.neo4j_local.jars import resolve_jars
from graphsvc.neo4j_local.java import Java, find_java
from graphsvc.neo4j_local.layout import Layout
from graphsvc.neo4j_local.ports import Ports, choose_ports, is_free, read_ports

USER = "neo4j"
START_DEADLINE_S = 90.0
STOP_DEADLINE_S = 30.0
POLL_INTERVAL_S = 0.05
START_ATTEMPTS_MAX = 3
LOG_LINES_IN_ERROR = 15


@dataclass(frozen=True)
class RunningNeo4j:
    """Where a running managed Neo4j answers."""

    bolt_url: str
    http_url: str
    user: str
    password_file: Path
    pid: int

    @property
    def browser_url(self) -> str:
        """Neo4j Browser with the connection filled in, but for the password."""
        return f"{self.http_url}/browser/?dbms={self.bolt_url.replace('://', f'://{self.user}@')}"


class LocalNeo4j:
    """The managed Neo4j of one home.

    `home` holds its data, logs, password and ports; `cache` holds the jars and is shared between homes. A port left
    out is chosen free and remembered. `service_url` is where the HTTP service will answer, for Neo4j Browser's style and
    guide. All of these take effect at the next start: a server that runs already is reused as it is.

    Any number of processes may use one home at once; they take turns by a file lock.
    """

    def __init__(
        self,
        home: Path,
        cache: Path,
        *,
        bolt_port: int | None = None,
        http_port: int | None = None,
        heap_mb: int = 512,
        service_url: str | None = None,
    ) -> None:
        self.layout = Layout(home.absolute())
        self._cache = cache.absolute()
        self._bolt_port, self._http_port = bolt_port, http_port
        self._heap_mb = heap_mb
        self._service_url = service_url

    def start(self, deadline_s: float = START_DEADLINE_S) -> RunningNeo4j:
        """Starts Neo4j unless it runs already, and returns when it answers an authenticated client.

        Fetches the jars first where they are missing (not counted against the deadline). Raises `LocalNeo4jError`.
        """
        self.layout.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._turn():
            if server := self._find():
                self._await_answer(server, deadline_s)
                return self._running(server)
            jars, java = resolve_jars(self._cache), find_java()
            self._prepare_password(java, jars)
            for attempt in range(1, START_ATTEMPTS_MAX + 1):
                server, ports = self._launch(java, jars)
                try:
                    self._await_answer(server, deadline_s)
                except BaseException as error:
                    process.end(server, STOP_DEADLINE_S)
                    if (
                        attempt < START_ATTEMPTS_MAX
                        and isinstance(error, StartFailedError)
                        and self._lost_a_port(ports)
                    ):
                        continue
                    raise
                return self._running(server)
            raise AssertionError("unreachable: the last attempt returns or raises")

    def stop(self, deadline_s: float = STOP_DEADLINE_S) -> bool:
        """Stops Neo4j, by force after the deadline; whether there was one to stop."""
        if not self.layout.root.exists():
            return False
        with self._turn():
            server = self._find()
            if server:
                process.end(server, deadline_s)
            self.layout.process_file.unlink(missing_ok=True)
            return server is not None

    def status(self) -> RunningNeo4j | None:
        """The running server, or None."""
        server = self._find()
        return self._running(server) if server else None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        lock = FileLock(self.layout.lock)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            sys.stderr.write("Waiting for another process that starts or stops this Neo4j …\n")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _find(self) -> psutil.Process | None:
        return process.find(self.layout.process_file, f"@{self.layout.server_arguments}")

    def _running(self, server: psutil.Process) -> RunningNeo4j:
        ports = read_ports(self.layout.ports_file)
        if ports is None:
            raise LocalNeo4jError(
                f"{self.layout.ports_file} is gone while Neo4j runs: stop it and start it again"
            )
        return RunningNeo4j(
            bolt_url=f"bolt://{config.LOOPBACK}:{ports.bolt}",
            http_url=f"http://{config.LOOPBACK}:{ports.http}",
            user=USER,
            password_file=self.layout.password_file,
            pid=server.pid,
        )

    def _launch(self, java: Java, jars: list[Path]) -> tuple[psutil.Process, Ports]:
        layout = self.layout
        for folder in (layout.conf_dir, layout.logs_dir):
            folder.mkdir(exist_ok=True)
        ports = choose_ports(layout.ports_file, self._bolt_port, self._http_port)
        conf = config.neo4j_conf(ports.bolt, ports.http, self._heap_mb, self._service_url)
        (layout.conf_dir / "neo4j.conf").write_text(conf)
        arguments = config.server_arguments(java, jars, layout.root, layout.conf_dir, self._heap_mb)
        layout.server_arguments.write_text(arguments)
        layout.process_file.unlink(missing_ok=True)
        command = [str(java.executable), f"@{layout.server_arguments}"]
        server = process.spawn(command, layout.root, layout.console_log)
        process.remember(server, layout.process_file)
        return server, ports

    def _prepare_password(self, java: Java, jars: list[Path]) -> None:
        """Before the first start: makes the password and plants it, so that the default one is never valid."""
        layout = self.layout
        if layout.holds_data():
            if not layout.password_file.exists():
                raise PasswordLostError(
                    f"{layout.data_dir} holds data but {layout.password_file} is gone: put it back"
                )
            return
        if not layout.password_file.exists():
            write_private(layout.password_file, secrets.token_urlsafe(24))
        layout.conf_dir.mkdir(exist_ok=True)
        (layout.conf_dir / "neo4j.conf").write_text(
            config.neo4j_conf(*config.DEFAULT_PORTS, self._heap_mb, None)
        )
        arguments = layout.root / "admin.args"
        password = layout.password_file.read_text()
        write_private(arguments, config.admin_arguments(jars, "dbms", "set-initial-password", password))
        environment = os.environ | {"NEO4J_HOME": str(layout.root), "NEO4J_CONF": str(layout.conf_dir)}
        try:
            subprocess.run(  # noqa: S603
                [java.executable, f"@{arguments}"],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            raise StartFailedError(
                f"Neo4j's initial password could not be set: {error.stderr.strip()}"
            ) from error
        finally:
            arguments.unlink()

    def _await_answer(self, server: psutil.Process, deadline_s: float) -> None:
        """Returns when an authenticated client is served; raises `StartFailedError` when the server ends or is too slow."""
        running = self._running(server)
        give_up_at = time.monotonic() + deadline_s
        port = int(running.bolt_url.rpartition(":")[2])
        while time.monotonic() < give_up_at:
            if not process.is_server(server, f"@{self.layout.server_arguments}"):
                raise StartFailedError(f"Neo4j ended while starting.\n{self.last_log_lines()}")
            if not is_free(port) and self._answers(running):
                return
            time.sleep(POLL_INTERVAL_S)
        raise StartFailedError(f"Neo4j did not answer within {deadline_s:.0f} s.\n{self.last_log_lines()}")

    def _answers(self, running: RunningNeo4j) -> bool:
        credentials = (running.user, running.password_file.read_text())
        try:
            with neo4j.GraphDatabase.driver(running.bolt_url, auth=credentials) as driver:
                driver.verify_connectivity()
        except AuthError as error:
            raise StartFailedError(f"Neo4j does not take the password in {running.password_file}") from error
        except (DriverError, Neo4jError):
            return False
        return True

    def _lost_a_port(self, ports: Ports) -> bool:
        """Whether somebody took a port between the choice and the start; it is ours to choose again."""
        return not (self._bolt_port or is_free(ports.bolt)) or not (self._http_port or is_free(ports.http))

    def last_log_lines(self, count: int = LOG_LINES_IN_ERROR) -> str:
        """The end of what Neo4j and its Java wrote."""
        lines: list[str] = []
        for log in (self.layout.neo4j_log, self.layout.console_log):
            if log.exists():
                lines += log.read_text(errors="replace").splitlines()[-count:]
        return "\n".join(lines)


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read, never readable by others on the way."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:  # noqa: PTH123  a descriptor, not a path
        file.write(text)
