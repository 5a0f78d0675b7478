"""What the tests of memory sources share: repositories written from a mapping, candidates without files."""

from collections.abc import Mapping
from pathlib import Path

from graphsvc.memory_sources.candidates import Candidate
from graphsvc.memory_sources.config import Adapter


def write_tree(top: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files beneath `top`, in the order given; answers `top`."""
    for path, content in files.items():
        target = top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return top


def candidate(
    fact: str, path: str = "notes/a.md", references: tuple[str, ...] = (), **changes: object
) -> Candidate:
    """A safe candidate of this fact."""
    source: Adapter = "playbook-memory"
    name = path.rpartition("/")[2].removesuffix(".md")
    made = Candidate(source, path, name, fact, False, (), references, "0" * 64)
    for name, value in changes.items():
        object.__setattr__(made, name, value)
    return made
