"""Runs Neo4j Community for one home: start, stop, status."""

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
from graphsvc.neo4j_local.class_archive import ClassArchive, publish_recording
from graphsvc.neo4j_local.errors import EndedEarly, LocalNeo4jError, PasswordRefused, StartFailed
from graphsvc.neo4j_local.jars import resolve_jars
from graphsvc.neo4j_local.java import Java, find_java
from graphsvc.neo4j_local.layout import Layout
from graphsvc.neo4j_local.password import plant_password
from graphsvc.neo4j_local.ports import LOOPBACK, Ports, choose_ports, is_free, read_ports

USER = "neo4j"
START_DEADLINE_S = 240.0
STOP_DEADLINE_S = 60.0
POLL_INTERVAL_S = 0.05
ABORT_DEADLINE_S = 5.0  # of a server that has served nobody yet; its recovery copes
ANSWER_DEADLINE_S = 5.0
START_ATTEMPTS_MAX = 3
LOG_LINES_IN_ERROR = 15
ACK = "\x06"  # Neo4j prints it to tell whoever launched it that it is up


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
    out (or 0) is chosen free and remembered. `service_url` is where the HTTP service will answer, for Neo4j Browser's
    style and guide. All of these take effect at the next start: a server that runs already is reused as it is.

    The server outlives the process that started it. Any number of processes may use one home at once; they take turns
    by a file lock. Spec 10, way 1.
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

    def fetch(self) -> None:
        """Fetches what is missing of Neo4j, so that a later start in the background has nothing to show.

        Raises `LocalNeo4jError`.
        """
        resolve_jars(self._cache)

    def start(self, deadline_s: float = START_DEADLINE_S) -> RunningNeo4j:
        """Starts Neo4j unless it runs already, and returns when it answers an authenticated client.

        Fetches first what is missing (not counted against the deadline). Raises `LocalNeo4jError`.
        """
        self.layout.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._turn():
            if server := self._find():
                self._await_answer(server, deadline_s)
                return self._running(server)
            return self._start_anew(deadline_s)

    def stop(self, deadline_s: float = STOP_DEADLINE_S) -> bool:
        """Stops Neo4j, by force after the deadline; whether there was one to stop."""
        if not self.layout.root.exists():
            return False
        with self._turn():
            server = self._find()
            if server and process.end(server, deadline_s):
                publish_recording(self._cache, self.layout.root)
            self.layout.process_file.unlink(missing_ok=True)
            return server is not None

    def status(self) -> RunningNeo4j | None:
        """The running server, or None. Whether it `answers` is another question."""
        server = self._find()
        return self._running(server) if server else None

    def answers(self) -> bool:
        """Whether the server serves an authenticated client now. Raises `PasswordRefused`."""
        running = self.status()
        return running is not None and _answers(running, ANSWER_DEADLINE_S)

    def last_log_lines(self, count: int = LOG_LINES_IN_ERROR) -> str:
        """The end of what Neo4j and its Java wrote."""
        lines: list[str] = []
        for log in (self.layout.neo4j_log, self.layout.console_log):
            if log.exists():
                text = log.read_text(encoding="utf-8", errors="replace").strip(ACK + "\n")
                lines += text.splitlines()[-count:]
        return "\n".join(lines)

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

    def _mark(self) -> str:
        return f"@{self.layout.server_arguments}"

    def _find(self) -> psutil.Process | None:
        return process.find(self.layout.process_file, self._mark())

    def _running(self, server: psutil.Process) -> RunningNeo4j:
        ports = read_ports(self.layout.ports_file)
        if ports is None:
            raise LocalNeo4jError(
                f"{self.layout.ports_file} is gone while Neo4j runs: stop it and start it again"
            )
        return RunningNeo4j(
            bolt_url=f"bolt://{LOOPBACK}:{ports.bolt}",
            http_url=f"http://{LOOPBACK}:{ports.http}",
            user=USER,
            password_file=self.layout.password_file,
            pid=server.pid,
        )

    def _start_anew(self, deadline_s: float) -> RunningNeo4j:
        java, jars = find_java(), resolve_jars(self._cache)
        archive = ClassArchive.of(self._cache, self.layout.root, java, jars)
        plant_password(self.layout, java, jars)
        for attempt in range(1, START_ATTEMPTS_MAX + 1):
            ports = choose_ports(self.layout.ports_file, self._bolt_port, self._http_port)
            crash_logs = self.layout.crash_logs()
            try:
                return self._launch(java, jars, ports, archive, deadline_s)
            except EndedEarly:
                # Worth another try where it can end otherwise: a port lost between choice and use, or an archive that
                # does Java harm.
                crashed = self.layout.crash_logs() != crash_logs
                mended = self._lost_a_port(ports) or (crashed and archive.discard())
                if attempt == START_ATTEMPTS_MAX or not mended:
                    raise
            except PasswordRefused:
                if attempt == START_ATTEMPTS_MAX or self.layout.first_start_done.exists():
                    raise
                self._set_data_aside()
                plant_password(self.layout, java, jars)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _set_data_aside(self) -> None:
        """For a first start that was killed after Neo4j made its users and before it gave them their password."""
        aside = self.layout.root / f"data-of-unfinished-start-{time.time_ns()}"
        self.layout.data_dir.rename(aside)
        sys.stderr.write(
            f"Neo4j's first start here was cut short; starting anew, what it left is in {aside}\n"
        )

    def _launch(
        self, java: Java, jars: list[Path], ports: Ports, archive: ClassArchive, deadline_s: float
    ) -> RunningNeo4j:
        """Starts the process and returns when it answers; leaves none behind if it does not."""
        layout = self.layout
        for folder in (layout.conf_dir, layout.logs_dir):
            folder.mkdir(exist_ok=True)
        conf = config.neo4j_conf(ports, self._heap_mb, self._service_url)
        layout.conf_file.write_text(conf, encoding="utf-8")
        arguments = config.server_arguments(java, jars, layout, self._heap_mb, archive.options(java))
        layout.server_arguments.write_text(arguments, encoding="utf-8")
        command = [str(java.executable), self._mark()]
        server = process.spawn(command, layout.root, layout.console_log, config.java_environment())
        try:
            process.remember(server, layout.process_file)
            self._await_answer(server, deadline_s)
        except BaseException:
            process.end(server, ABORT_DEADLINE_S)
            raise
        layout.first_start_done.touch()
        return self._running(server)

    def _await_answer(self, server: psutil.Process, deadline_s: float) -> None:
        """Returns when an authenticated client is served; raises `StartFailed` when the server ends or is too slow."""
        running, ports = self._running(server), read_ports(self.layout.ports_file)
        give_up_at = time.monotonic() + deadline_s
        while time.monotonic() < give_up_at:
            if not process.is_server(server, self._mark()):
                raise EndedEarly(f"Neo4j ended while starting.\n{self.last_log_lines()}")
            # The web server comes last, and Neo4j gives up if it cannot have its port.
            if ports and not is_free(ports.http) and _answers(running, min(deadline_s, ANSWER_DEADLINE_S)):
                return
            time.sleep(POLL_INTERVAL_S)
        raise StartFailed(f"Neo4j did not answer within {deadline_s:.0f} s.\n{self.last_log_lines()}")

    def _lost_a_port(self, ports: Ports) -> bool:
        """Whether somebody else took a port that was ours to choose."""
        return not (self._bolt_port or is_free(ports.bolt)) or not (self._http_port or is_free(ports.http))


def _answers(running: RunningNeo4j, deadline_s: float) -> bool:
    credentials = (running.user, running.password_file.read_text(encoding="utf-8").strip())
    try:
        with neo4j.GraphDatabase.driver(
            running.bolt_url,
            auth=credentials,
            connection_timeout=deadline_s,
            connection_acquisition_timeout=deadline_s,  # the handshake too: a frozen server says nothing
            telemetry_disabled=True,
        ) as driver:
            driver.verify_connectivity()
    except AuthError as error:
        raise PasswordRefused(f"Neo4j does not take the password in {running.password_file}") from error
    except (DriverError, Neo4jError, OSError):
        return False
    return True
