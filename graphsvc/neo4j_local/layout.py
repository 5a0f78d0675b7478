"""Where everything of one managed Neo4j is: one folder under the home of graphsvc."""

from dataclasses import dataclass
from pathlib import Path

CRASH_LOG = "java-crash-%p.log"  # Java puts the number of its process for %p


@dataclass(frozen=True)
class Layout:
    """The files of the Neo4j under one graphsvc home."""

    home: Path

    @property
    def root(self) -> Path:
        """Neo4j's own home directory; only its owner may enter."""
        return self.home / "neo4j"

    @property
    def conf_dir(self) -> Path:
        """Written anew at every start."""
        return self.root / "conf"

    @property
    def conf_file(self) -> Path:
        """Neo4j's settings."""
        return self.conf_dir / "neo4j.conf"

    @property
    def data_dir(self) -> Path:
        """The databases and transaction logs."""
        return self.root / "data"

    @property
    def logs_dir(self) -> Path:
        """Neo4j's own logs and what its Java printed."""
        return self.root / "logs"

    @property
    def neo4j_log(self) -> Path:
        """What Neo4j tells its operator."""
        return self.logs_dir / "neo4j.log"

    @property
    def debug_log(self) -> Path:
        """The same at length."""
        return self.logs_dir / "debug.log"

    @property
    def console_log(self) -> Path:
        """What the Java process printed, such as why it could not start; emptied at every start."""
        return self.logs_dir / "console.log"

    @property
    def password_file(self) -> Path:
        """The password of user `neo4j`, mode 0600."""
        return self.root / "password"

    @property
    def first_start_done(self) -> Path:
        """There once a client has been served with the password: only then can the data be worth anything."""
        return self.root / "first-start-done"

    @property
    def ports_file(self) -> Path:
        """The ports chosen for this home, kept between starts."""
        return self.root / "ports.json"

    @property
    def process_file(self) -> Path:
        """Which process is the server, while it runs."""
        return self.root / "process.json"

    @property
    def server_arguments(self) -> Path:
        """Java's arguments; its path in the process list tells the server of this home from any other."""
        return self.root / "server.args"

    @property
    def lock(self) -> Path:
        """Held while one process starts or stops the server."""
        return self.root / "lock"

    def crash_logs(self) -> set[Path]:
        """What Java wrote when it crashed."""
        return set(self.logs_dir.glob(CRASH_LOG.replace("%p", "*")))

    def holds_data(self) -> bool:
        """Whether a server has run here before."""
        return (self.data_dir / "databases" / "system").exists()
