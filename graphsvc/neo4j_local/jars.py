"""The jars that Neo4j consists of: pinned by `neo4j.lock.toml`, fetched once a machine, checked at every start.

The cache is shared by all homes. A jar is fetched into a folder of its own, checked, and moved into place whole, so a
reader never meets half a jar; one that is damaged later is found by its checksum and fetched again.
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from jgo.config import GlobalSettings
from jgo.env import LockedDependency, LockFile
from jgo.maven import MavenContext, PythonResolver

from graphsvc.neo4j_local.errors import JarsUnavailableError
from graphsvc.neo4j_local.progress import FetchProgress, fetch_progress

LOCK_PATH = Path(__file__).with_name("neo4j.lock.toml")
DOWNLOAD_THREADS = 8
DOWNLOAD_ATTEMPTS_MAX = 5
RETRY_PAUSE_S = 1.0
REQUEST_TIMEOUT_S = 30


def resolve_jars(cache: Path, lock_path: Path = LOCK_PATH) -> list[Path]:
    """The paths of all pinned jars under `cache`, each present and matching its checksum, in the order of the lock.

    Fetches what is missing or damaged, with progress on stderr. Two processes may call this at once: one fetches, the
    other waits. Raises `JarsUnavailableError` when a jar cannot be had after `DOWNLOAD_ATTEMPTS_MAX` tries.
    """
    repository = cache / "jars"
    pinned = LockFile.load(lock_path).dependencies
    if wanting(pinned, repository):
        with sole_fetcher(repository):
            # Looked at again: the one we waited for may have fetched them all.
            fetch_all(wanting(pinned, repository), repository)
    return [repository / relative_path(jar) for jar in pinned]


def wanting(pinned: list[LockedDependency], repository: Path) -> list[LockedDependency]:
    """Those of `pinned` that are absent from `repository` or do not match their checksum."""
    with ThreadPoolExecutor(DOWNLOAD_THREADS) as pool:
        intact = list(pool.map(lambda jar: matches(jar, repository / relative_path(jar)), pinned))
    return [jar for jar, is_intact in zip(pinned, intact, strict=True) if not is_intact]


def matches(jar: LockedDependency, path: Path) -> bool:
    """Whether the file at `path` is the pinned jar, byte for byte."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def relative_path(jar: LockedDependency) -> Path:
    """Where a jar stands in a Maven repository."""
    classifier = f"-{jar.classifier}" if jar.classifier else ""
    name = f"{jar.artifactId}-{jar.version}{classifier}.{jar.packaging}"
    return Path(*jar.groupId.split("."), jar.artifactId, jar.version, name)


@contextmanager
def sole_fetcher(repository: Path) -> Iterator[None]:
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


def fetch_all(jars: list[LockedDependency], repository: Path) -> None:
    """Fetches `jars` into `repository`, several at a time; the caller holds the lock."""
    if not jars:
        return
    with (
        fetch_progress("Fetching Neo4j", len(jars)) as progress,
        ThreadPoolExecutor(DOWNLOAD_THREADS) as pool,
    ):
        for _ in pool.map(lambda jar: fetch(jar, repository, progress), jars):
            progress.add(items=1)


def fetch(jar: LockedDependency, repository: Path, progress: FetchProgress) -> None:
    """Fetches one jar, trying again on network trouble and on a wrong checksum."""
    trouble: Exception | None = None
    for attempt in range(DOWNLOAD_ATTEMPTS_MAX):
        if attempt:
            time.sleep(RETRY_PAUSE_S * 2 ** (attempt - 1))
        try:
            return fetch_once(jar, repository, progress)
        except (
            OSError,
            RuntimeError,
        ) as error:  # requests' errors are OSErrors; the resolver raises RuntimeError
            trouble = error
    raise JarsUnavailableError(
        f"{jar.groupId}:{jar.artifactId}:{jar.version} cannot be fetched: {trouble}"
    ) from trouble


def fetch_once(jar: LockedDependency, repository: Path, progress: FetchProgress) -> None:
    """Fetches one jar into a folder of its own, checks it, and moves it into place in one step."""

    @contextmanager
    def counted(_filename: str, _total_bytes: int) -> Iterator[object]:
        yield lambda count: progress.add(size_bytes=count)

    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=repository) as scratch:
        resolver = PythonResolver(progress_callback=counted)
        maven = MavenContext(resolver=resolver, repo_cache=Path(scratch), timeout=REQUEST_TIMEOUT_S)
        maven.remote_repos |= GlobalSettings.load().repositories  # a mirror set up for jgo counts here too
        component = maven.project(jar.groupId, jar.artifactId).at_version(jar.version)
        fetched = component.artifact(jar.classifier or "", jar.packaging).resolve()
        if not matches(jar, fetched):
            raise JarsUnavailableError(f"{fetched.name} does not match its pinned checksum")
        target = repository / relative_path(jar)
        target.parent.mkdir(parents=True, exist_ok=True)
        fetched.replace(target)
