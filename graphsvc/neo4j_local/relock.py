"""Makes the lock of jars anew: `python -m graphsvc.neo4j_local.relock`.

Run it after changing a version in `ROOTS`. It resolves the roots with all they need, fetches every jar and writes
`neo4j.lock.toml`: coordinates and SHA-256 sums, no hosts. Takes one to two minutes.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jgo
from jgo.env import LockedDependency, LockFile
from jgo.maven import Artifact, Dependency

from graphsvc.neo4j_local.download import DOWNLOAD_THREADS
from graphsvc.neo4j_local.jars import LOCK_PATH

# The server pulls in the database; the Browser is what makes the server answer at `/browser/`.
ROOTS = (
    "org.neo4j:neo4j:5.26.30",
    "org.neo4j.app:neo4j-server:5.26.30",
    "org.neo4j.client:neo4j-browser:5.24.0",
)


def relock(path: Path = LOCK_PATH) -> int:
    """Resolves `ROOTS`, writes the lock to `path` and returns the number of jars in it."""
    artifacts = jgo.resolve("+".join(ROOTS))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(DOWNLOAD_THREADS) as pool:
        for artifact in artifacts:
            # Not the user's own Maven cache: a damaged jar in it must not become the pinned checksum.
            artifact.context.repo_cache = Path(scratch)
        locked = list(pool.map(pinned, artifacts))
    locked.sort(key=lambda jar: (jar.groupId, jar.artifactId, jar.classifier or ""))
    LockFile(locked, environment_name="neo4j", min_java_version=17, jgo_version=jgo.__version__).save(path)
    return len(locked)


def pinned(artifact: Artifact) -> LockedDependency:
    """Fetches one jar; answers its coordinates and checksum."""
    return LockedDependency.from_dependency(Dependency(artifact))


if __name__ == "__main__":
    sys.stderr.write(f"{relock()} jars pinned in {LOCK_PATH}\n")
