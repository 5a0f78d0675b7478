"""The jars that Neo4j consists of: pinned by `neo4j.lock.toml`, fetched once a machine, checked at every start.

The cache is shared by all homes. A jar that is missing or damaged is found by its checksum and fetched again.
"""

import hashlib
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

LOCK_PATH = Path(__file__).with_name("neo4j.lock.toml")
CHECK_THREADS = 8


@dataclass(frozen=True)
class PinnedJar:
    """One entry of the lock: Maven coordinates and the checksum of the file."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str

    @property
    def path(self) -> Path:
        """Where it stands in a Maven repository, relative to the repository."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{classifier}.jar"
        return Path(*self.group.split("."), self.artifact, self.version, name)

    def is_intact(self, path: Path) -> bool:
        """Whether the file at `path` is this jar, byte for byte."""
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except FileNotFoundError:
            return False


def resolve_jars(cache: Path, lock_path: Path = LOCK_PATH) -> list[Path]:
    """The paths of all pinned jars under `cache`, each present and intact, in the order of the lock.

    Fetches what is missing or damaged, with progress on stderr. Two processes may call this at once: one fetches, the
    other waits. Raises `JarsUnavailable`.
    """
    repository = cache / "jars"
    pinned = read_lock(lock_path)
    if wanting(pinned, repository):
        from graphsvc.neo4j_local.download import download  # noqa: PLC0415  slow to import and rarely needed

        with sole_downloader(repository):
            # Looked at again: the one we waited for may have fetched them all.
            download(wanting(pinned, repository), repository)
    return [repository / jar.path for jar in pinned]


def read_lock(lock_path: Path = LOCK_PATH) -> list[PinnedJar]:
    """The pinned jars, in the order of the lock (the format is jgo's)."""
    entries = tomllib.loads(lock_path.read_text(encoding="utf-8"))["dependencies"]
    return [
        PinnedJar(
            entry["groupId"],
            entry["artifactId"],
            entry["version"],
            entry.get("classifier", ""),
            entry["sha256"],
        )
        for entry in entries
    ]


def wanting(pinned: list[PinnedJar], repository: Path) -> list[PinnedJar]:
    """Those of `pinned` that `repository` lacks or holds damaged."""
    with ThreadPoolExecutor(CHECK_THREADS) as pool:
        intact = list(pool.map(lambda jar: jar.is_intact(repository / jar.path), pinned))
    return [jar for jar, is_intact in zip(pinned, intact, strict=True) if not is_intact]


@contextmanager
def sole_downloader(repository: Path) -> Iterator[None]:
    """Holds the lock of the cache while the block runs."""
    repository.mkdir(parents=True, exist_ok=True)
    lock = FileLock(repository / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        sys.stderr.write("Waiting for another process that fetches Neo4j …\n")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
