"""Java's archive of loaded classes: recorded once at a clean stop, it takes a third off every later start.

Java 25 writes it as an "AOT cache", earlier ones as a dynamic class-data-sharing archive. Java itself refuses an
archive that does not fit it or the jars, so a stale one costs time and nothing else.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphsvc.neo4j_local.java import Java

JAVA_MAJOR_WITH_AOT = 25
FOLDER = "classes"
ARCHIVES_KEPT_MAX = 2  # about 140 MB each; two so that two Javas on one machine do not take turns recording


@dataclass(frozen=True)
class ClassArchive:
    """The archive for one Java and one set of jars, shared by all homes that use them."""

    ready: Path
    recording: Path  # one a home, so that two homes never write one file

    @classmethod
    def of(cls, cache: Path, root: Path, java: Java, jars: Sequence[Path]) -> "ClassArchive":
        """The archive in `cache` for this Java and these jars, as the Neo4j home `root` uses it."""
        identity = [f"{java.executable.resolve()} {java.version}"]
        identity += [f"{jar} {jar.stat().st_mtime_ns}" for jar in jars]  # Java compares these times too
        name = digest("\n".join(identity))
        folder = cache / FOLDER
        return cls(folder / f"{name}.archive", folder / f"{name}.{digest(str(root))}.recording")

    def options(self, java: Java) -> list[str]:
        """Java options that use the archive, or record it if there is none yet."""
        has_aot = java.major >= JAVA_MAJOR_WITH_AOT
        if self.ready.exists():
            return [f"-XX:{'AOTCache' if has_aot else 'SharedArchiveFile'}={self.ready}"]
        self.recording.parent.mkdir(parents=True, exist_ok=True)
        self.recording.unlink(missing_ok=True)
        return [f"-XX:{'AOTCacheOutput' if has_aot else 'ArchiveClassesAtExit'}={self.recording}"]

    def discard(self) -> bool:
        """Removes the archive; whether there was one. For a server that could not start with it."""
        existed = self.ready.exists()
        self.ready.unlink(missing_ok=True)
        return existed


def publish_recording(cache: Path, root: Path) -> None:
    """After a clean end of the server of `root`: what it recorded is for all from now on."""
    folder = cache / FOLDER
    for recording in folder.glob(f"*.{digest(str(root))}.recording"):
        recording.replace(folder / f"{recording.name.partition('.')[0]}.archive")
    archives = sorted(folder.glob("*.archive"), key=lambda archive: archive.stat().st_mtime)
    for old in archives[:-ARCHIVES_KEPT_MAX]:
        old.unlink(missing_ok=True)


def digest(text: str) -> str:
    """A short name for something long."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
