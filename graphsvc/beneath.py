"""Reading files that are truly beneath a directory (spec 05, 06, 11 §3.2).

Each component is opened relative to the one before, without following links: there is no moment between a
check and its use, and nothing outside is ever opened. Missing, refused, a link anywhere, a device or a
pipe: all of these are the one FileNotBeneath.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOT_THERE: Final = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENXIO}
)


class FileNotBeneath(Exception):
    """There is no such regular file beneath the directory."""


class FileTooLarge(Exception):
    """The file has more bytes than asked for."""


def relative_parts(path: str) -> tuple[str, ...]:
    """The components of a relative path with `/` between them; FileNotBeneath for every other path."""
    parts = tuple(path.split("/"))
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise FileNotBeneath
    return parts


@contextmanager
def open_directory(root: Path | int, parts: tuple[str, ...] = ()) -> Iterator[int]:
    """A descriptor of the directory `parts` beneath `root`; only `root` itself may be reached by a link.

    `root` is a path, or the descriptor of a directory, which stays open.
    """
    directory = os.dup(root) if isinstance(root, int) else _open_directory(root, None)
    try:
        for part in parts:
            above, directory = directory, _open_directory(part, directory)
            os.close(above)
        yield directory
    finally:
        os.close(directory)


def _open_directory(path: Path | str, beneath: int | None) -> int:
    follow = 0 if beneath is None else os.O_NOFOLLOW
    with _only_not_there():
        return os.open(path, _DIRECTORY | follow, dir_fd=beneath)


def read_beneath(root: Path | int, path: str, bytes_max: int) -> bytes:
    """The bytes of the regular file at `path` beneath `root`. Raises FileNotBeneath, FileTooLarge."""
    *directories, name = relative_parts(path)
    with open_directory(root, tuple(directories)) as directory:
        return read_in(directory, name, bytes_max)


def read_in(directory: int, name: str, bytes_max: int) -> bytes:
    """The bytes of the regular file `name` of an open directory. Raises FileNotBeneath, FileTooLarge."""
    with _only_not_there():
        # Looked at before it is opened, since opening some devices has effects; and again after, since it may
        # have been replaced in between.
        _require_regular(os.stat(name, dir_fd=directory, follow_symlinks=False))
        with os.fdopen(os.open(name, _FILE, dir_fd=directory), "rb") as file:
            status = os.fstat(file.fileno())
            _require_regular(status)
            if status.st_size > bytes_max:
                raise FileTooLarge
            content = file.read(bytes_max + 1)
    if len(content) > bytes_max:  # it grew while being read
        raise FileTooLarge
    return content


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileNotBeneath


@contextmanager
def _only_not_there() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NOT_THERE:
            raise FileNotBeneath from None
        raise
