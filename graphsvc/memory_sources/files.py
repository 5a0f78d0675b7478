"""The memory files of a repository: first all are found and checked, then they are read (spec 06).

What must not be, fails before anything is read: a link that leaves the repository, a file or a total over
its limit. What merely cannot be used is reported and the rest goes on: a link that stays inside, a pipe or
device, a name or content that is not UTF-8, a file without permission.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from graphsvc import limits
from graphsvc.beneath import FileNotBeneath, FileTooLarge, open_directory, read_beneath
from graphsvc.memory_sources.config import Adapter

ENDINGS: Final = (b".md", b".mdc", b".mdx")


class MemorySourceError(Exception):
    """A repository whose memories cannot be read as configured; the message names the path."""


class Unread(NamedTuple):
    """A memory file that could not be used, and why."""

    source: Adapter
    path: str
    reason: str


class MemoryFile(NamedTuple):
    """One memory: its path from the top of the repository, its text, and the hash of its bytes."""

    source: Adapter
    path: str
    text: str
    content_sha256: str


@dataclass(frozen=True, slots=True)
class _Found:
    source: Adapter
    parts: tuple[bytes, ...]
    size_bytes: int
    reason: str | None = None

    @property
    def path(self) -> str:
        return b"/".join(self.parts).decode(errors="backslashreplace")


def read_memory_files(
    repository: Path, sources: list[tuple[Adapter, str]]
) -> tuple[list[MemoryFile], list[Unread]]:
    """All memory files of the sources, in the order of the sources and by path within each; and what is not
    read.

    Raises MemorySourceError.
    """
    with ExitStack() as stack:
        try:
            root = stack.enter_context(open_directory(repository))
        except FileNotBeneath:
            raise MemorySourceError(f"{repository}: no such directory") from None
        found: dict[tuple[Adapter, tuple[bytes, ...]], _Found] = {}
        for source, directory in sources:
            listed = _list(root, repository, source, _parts(directory))
            for file in sorted(listed, key=lambda file: b"/".join(file.parts)):
                found.setdefault((source, file.parts), file)
        _check_sizes(list(found.values()))
        files: list[MemoryFile] = []
        unread: list[Unread] = []
        for file in found.values():
            text = file.reason or _read(root, file)
            if isinstance(text, MemoryFile):
                files.append(text)
            else:
                unread.append(Unread(file.source, file.path, text))
        return files, unread


def _parts(directory: str) -> tuple[bytes, ...]:
    return () if directory == "." else tuple(part.encode() for part in directory.split("/"))


def _list(root: int, repository: Path, source: Adapter, top: tuple[bytes, ...]) -> Iterator[_Found]:
    """Every memory file beneath the directory `top`, in no order. A directory that is missing is empty."""
    _refuse_links_on_the_way(root, repository, top)
    pending = [top]
    while pending:
        parts = pending.pop()
        try:
            with open_directory(root, _names(parts)) as directory, os.scandir(directory) as entries:
                for entry in entries:
                    here = (*parts, os.fsencode(entry.name))
                    if entry.is_symlink():
                        if here[-1].endswith(ENDINGS) or not _is_file_elsewhere(directory, entry.name):
                            _require_inside(repository, here)
                            yield _Found(source, here, 0, "a link")
                    elif entry.is_dir(follow_symlinks=False):
                        pending.append(here)
                    elif here[-1].endswith(ENDINGS):
                        yield _file(source, here, entry.stat(follow_symlinks=False))
        except FileNotBeneath:
            if parts != top:
                yield _Found(source, parts, 0, "cannot be opened")
            elif top and _exists(root, top):
                raise MemorySourceError(f"{_shown(top)}: cannot be read as a directory") from None


def _file(source: Adapter, parts: tuple[bytes, ...], status: os.stat_result) -> _Found:
    if not stat.S_ISREG(status.st_mode):
        return _Found(source, parts, 0, "not a regular file")
    try:
        b"/".join(parts).decode()
    except UnicodeDecodeError:
        return _Found(source, parts, 0, "the name is not UTF-8")
    return _Found(source, parts, status.st_size)


def _refuse_links_on_the_way(root: int, repository: Path, top: tuple[bytes, ...]) -> None:
    for depth in range(1, len(top) + 1):
        try:
            with open_directory(root, _names(top[: depth - 1])) as directory:
                status = os.stat(os.fsdecode(top[depth - 1]), dir_fd=directory, follow_symlinks=False)
        except (FileNotBeneath, OSError):
            return
        if stat.S_ISLNK(status.st_mode):
            _require_inside(repository, top[:depth])
            raise MemorySourceError(f"{_shown(top[:depth])}: a link; name the directory that it leads to")


def _require_inside(repository: Path, parts: tuple[bytes, ...]) -> None:
    """Where a link leads is read from the link; nothing behind it is opened."""
    top = os.path.realpath(os.fsencode(repository))
    target = os.path.realpath(b"/".join((top, *parts)))
    if target != top and not target.startswith(top.rstrip(b"/") + b"/"):
        raise MemorySourceError(f"{_shown(parts)}: a link that leaves the repository")


def _is_file_elsewhere(directory: int, name: str) -> bool:
    """Whether a link certainly leads to a file, so that one without a memory's ending is none of our business."""
    try:
        return not stat.S_ISDIR(os.stat(name, dir_fd=directory).st_mode)
    except OSError:
        return True


def _check_sizes(files: list[_Found]) -> None:
    for file in files:
        if file.size_bytes > limits.MEMORY_FILE_BYTES_MAX:
            raise MemorySourceError(f"{file.path}: larger than {limits.MEMORY_FILE_BYTES_MAX} bytes")
    if sum(file.size_bytes for file in files) > limits.MEMORY_TOTAL_BYTES_MAX:
        raise MemorySourceError(
            f"the memory files have more than {limits.MEMORY_TOTAL_BYTES_MAX} bytes in all"
        )


def _read(root: int, file: _Found) -> MemoryFile | str:
    """The file, or why it is not read."""
    try:
        content = read_beneath(root, "/".join(_names(file.parts)), limits.MEMORY_FILE_BYTES_MAX)
    except FileNotBeneath:
        return "cannot be opened"
    except FileTooLarge:  # it grew since it was found
        raise MemorySourceError(f"{file.path}: larger than {limits.MEMORY_FILE_BYTES_MAX} bytes") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "not UTF-8"
    if "\0" in text:
        return "has NUL bytes"
    return MemoryFile(file.source, file.path, text, hashlib.sha256(content).hexdigest())


def _exists(root: int, parts: tuple[bytes, ...]) -> bool:
    try:
        with open_directory(root, _names(parts[:-1])) as directory:
            os.stat(_names(parts)[-1], dir_fd=directory, follow_symlinks=False)
    except (FileNotBeneath, OSError):
        return False
    return True


def _names(parts: tuple[bytes, ...]) -> tuple[str, ...]:
    """The names as this process's locale spells them; the bytes are the same everywhere."""
    return tuple(os.fsdecode(part) for part in parts)


def _shown(parts: tuple[bytes, ...]) -> str:
    return b"/".join(parts).decode(errors="backslashreplace")
