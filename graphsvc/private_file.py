"""Files that hold a secret."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read: whole or not at all, and never readable by others on the way."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123  a descriptor, not a path
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    unfinished.replace(path)
