"""A managed Neo4j of a test's own, that may be killed, frozen and started again."""

import os
import signal
from pathlib import Path

import psutil

from graphsvc.neo4j_local import LocalNeo4j
from graphsvc.settings import Settings


class Neo4jProcess:
    """The Neo4j of one home; `bolt_url` and `password` stay the same over restarts."""

    user = "neo4j"

    def __init__(self, home: Path) -> None:
        self._server = LocalNeo4j(home, Settings(home=home).cache)
        self.bolt_url = ""
        self.password = ""
        self.pid = 0

    def start(self) -> "Neo4jProcess":
        """Start it, or find it running; returns when it answers."""
        running = self._server.start()
        self.bolt_url, self.pid = running.bolt_url, running.pid
        self.password = running.password_file.read_text().strip()
        return self

    def stop(self) -> None:
        """A clean stop."""
        self.thaw()
        self._server.stop()

    def kill(self) -> None:
        """kill -9: nothing is flushed, nobody is told."""
        process = psutil.Process(self.pid)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)

    def freeze(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT; nothing if it is gone."""
        if self.pid and psutil.pid_exists(self.pid):
            os.kill(self.pid, signal.SIGCONT)
