"""Fetches pinned jars by their Maven coordinates.

A jar is fetched into a folder of its own, checked, and moved into place in one step, so that a reader of the cache
never meets half a jar, whatever ends this process.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from jgo.config import GlobalSettings
from jgo.maven import MavenContext, PythonResolver

from graphsvc.neo4j_local.errors import JarsUnavailable
from graphsvc.neo4j_local.jars import PinnedJar
from graphsvc.neo4j_local.progress import FetchProgress, fetch_progress

DOWNLOAD_THREADS = 8
ATTEMPTS_MAX = 5
RETRY_PAUSE_S = 1.0
REQUEST_TIMEOUT_S = 30
SCRATCH_PREFIX = ".fetch-"


def download(jars: list[PinnedJar], repository: Path) -> None:
    """Fetches `jars` into `repository`, several at a time; the caller is the only one that does.

    Raises `JarsUnavailable` when a jar cannot be had after `ATTEMPTS_MAX` tries.
    """
    if not jars:
        return
    for left_behind in repository.glob(f"{SCRATCH_PREFIX}*"):
        shutil.rmtree(left_behind)
    with (
        fetch_progress("Fetching Neo4j", len(jars)) as progress,
        ThreadPoolExecutor(DOWNLOAD_THREADS) as pool,
    ):
        for _ in pool.map(lambda jar: fetch(jar, repository, progress), jars):
            progress.add(items=1)


def fetch(jar: PinnedJar, repository: Path, progress: FetchProgress) -> None:
    """Fetches one jar, trying again on network trouble and on a wrong checksum."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        try:
            fetch_once(jar, repository, progress)
            break
        except (
            OSError,
            RuntimeError,
        ) as error:  # what requests raises is an OSError, the resolver's a RuntimeError
            if attempt == ATTEMPTS_MAX:
                name = f"{jar.group}:{jar.artifact}:{jar.version}"
                raise JarsUnavailable(f"{name} cannot be fetched after {attempt} tries: {error}") from error
            time.sleep(RETRY_PAUSE_S * 2 ** (attempt - 1))


def fetch_once(jar: PinnedJar, repository: Path, progress: FetchProgress) -> None:
    """Fetches one jar into a folder of its own, checks it, and moves it into place in one step."""

    @contextmanager
    def counted(_filename: str, _total_bytes: int) -> Iterator[Callable[[int], None]]:
        yield lambda count: progress.add(size_bytes=count)

    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, dir=repository) as scratch:
        resolver = PythonResolver(progress_callback=counted)
        maven = MavenContext(resolver=resolver, repo_cache=Path(scratch), timeout=REQUEST_TIMEOUT_S)
        maven.remote_repos |= GlobalSettings.load().repositories  # a mirror set up for jgo counts here too
        component = maven.project(jar.group, jar.artifact).at_version(jar.version)
        fetched = component.artifact(jar.classifier).resolve()
        if not jar.is_intact(fetched):
            raise JarsUnavailable(f"{fetched.name} does not match its pinned checksum")
        target = repository / jar.path
        target.parent.mkdir(parents=True, exist_ok=True)
        fetched.replace(target)
