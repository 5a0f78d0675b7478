"""Nothing outside a configured root is ever opened, whatever a reference asks for (spec 05, 11 §3.2).

Method: a root with neighbours, links, a device and a pipe; every attack through `fs`, `fs_worktree` and
`read_beneath`, while an audit hook records what the process opens.
"""

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphsvc import limits
from graphsvc.beneath import (
    FileNotBeneath,
    FileTooLarge,
    open_directory,
    read_beneath,
    relative_parts,
)
from graphsvc.errors import NotFound
from graphsvc.resolvers.registry import Registry
from tests.resolvers.support import ATLAS, excerpt, registry, source_ref

Opened = list[tuple[str, int]]
_RECORDINGS: list[Opened] = []


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or isinstance(arguments[0], int):  # a number is a descriptor that is open already
        return
    if not str(arguments[0]).endswith((".py", ".pyc")):  # modules imported on the way
        for recording in _RECORDINGS:
            recording.append((str(arguments[0]), arguments[2]))


sys.addaudithook(_record)  # for the life of the process; it does nothing while nobody records


@contextmanager
def recorded() -> Iterator[Opened]:
    """What the process opens meanwhile: (path as asked for, flags)."""
    recording: Opened = []
    _RECORDINGS.append(recording)
    yield recording
    _RECORDINGS.remove(recording)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A root of documents beside things that are none of its business."""
    inside, sibling = tmp_path / "share", tmp_path / "share-secret"
    for directory in (inside / "docs", sibling, tmp_path / "outside"):
        directory.mkdir(parents=True)
    (inside / "docs" / "a.md").write_text("inside")
    (inside / "docs" / "größe 尺寸.md").write_text("named")
    (sibling / "a.md").write_text("secret")
    (tmp_path / "outside" / "a.md").write_text("secret")
    (inside / "dir-link").symlink_to(tmp_path / "outside")
    (inside / "link.md").symlink_to(tmp_path / "outside" / "a.md")
    (inside / "docs" / "link.md").symlink_to("../../outside/a.md")
    (inside / "chain.md").symlink_to("link.md")
    (inside / "loop.md").symlink_to("loop.md")
    (inside / "inner-link.md").symlink_to("docs/a.md")
    (inside / "null").symlink_to("/dev/null")
    os.mkfifo(inside / "pipe")
    (inside / "unreadable").mkdir(mode=0o000)
    (inside / ".git").mkdir()
    (inside / ".git" / "config").write_text("secret")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(inside / "socket"))
        yield inside
    (inside / "unreadable").chmod(0o700)


ATTACKS = {
    "parent": "../share-secret/a.md",
    "parent in the middle": "docs/../../share-secret/a.md",
    "parent that comes back": "docs/../docs/a.md",
    "parent alone": "..",
    "here": "./docs/a.md",
    "absolute": "/etc/passwd",
    "absolute inside": "{root}/docs/a.md",
    "two slashes": "//etc/passwd",
    "empty": "",
    "empty component": "docs//a.md",
    "slash at the end": "docs/a.md/",
    "sibling with the root as prefix": "-secret/a.md",
    "linked directory": "dir-link/a.md",
    "linked file": "link.md",
    "linked file in a directory": "docs/link.md",
    "link to a link": "chain.md",
    "link to itself": "loop.md",
    "link that stays inside": "inner-link.md",
    "device by a link": "null",
    "pipe": "pipe",
    "socket": "socket",
    "directory": "docs",
    "root itself": ".",
    "file as a directory": "docs/a.md/b.md",
    "other case": "DOCS/a.md",
    "backslashes": "docs\\a.md",
    "percent escapes": "docs%2fa.md",
    "overlong component": "x" * 300,
    "overlong path": "/".join(["x" * 200] * 30),
    "missing": "docs/b.md",
    "decomposed name": "docs/gro\u0308\u00dfe 尺寸.md",
    "file scheme": "file:///etc/passwd",
    "home": "~/a.md",
    "process files": "/proc/self/environ",
}


def resolvers_of(root: Path) -> Registry:
    table = {"share": {"path": str(root), "scopes": [ATLAS]}}
    return registry({"fs": table, "fs_worktree": table})


@pytest.mark.parametrize("path", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("resolver", ["fs", "fs_worktree"])
async def test_attacks_are_one_not_found(root: Path, resolver: str, path: str) -> None:
    resolvers, alias = resolvers_of(root), "root" if resolver == "fs" else "repo"
    value = source_ref(resolver, {alias: "share", "path": path.format(root=root)})
    with recorded() as opened, pytest.raises(NotFound) as refused:
        await excerpt(resolvers, value)
    assert (refused.value.detail, refused.value.problems) == ("There is no such thing", [])
    for asked, flags in opened:
        # Only the root is opened by a path; all else is one name, beneath a descriptor, without following.
        beneath = "/" not in asked and asked != ".." and bool(flags & os.O_NOFOLLOW)
        assert asked == str(root) or beneath, asked
        assert asked not in {"link.md", "chain.md", "loop.md", "inner-link.md", "null", "pipe", "socket"}


@pytest.mark.parametrize("resolver", ["fs", "fs_worktree"])
async def test_documents_inside_are_read(root: Path, resolver: str) -> None:
    resolvers, alias = resolvers_of(root), "root" if resolver == "fs" else "repo"
    for path, text in (("docs/a.md", "inside"), ("docs/größe 尺寸.md", "named")):
        with recorded() as opened:
            found = await excerpt(resolvers, source_ref(resolver, {alias: "share", "path": path}))
        assert (found.excerpt, found.tier, found.verified) == (text, "best_effort", False)
        assert [asked for asked, _ in opened] == [str(root), *path.split("/")], "the recording is complete"


@pytest.mark.parametrize("path", [".git/config", ".GIT/config", "docs/.git/config"])
async def test_a_work_tree_does_not_hold_its_repository(root: Path, path: str) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(root), source_ref("fs_worktree", {"repo": "share", "path": path}))


async def test_a_root_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(tmp_path / "gone"), source_ref("fs", {"root": "share", "path": "a.md"}))


def test_a_link_that_takes_the_place_of_a_directory_is_not_followed(root: Path, tmp_path: Path) -> None:
    """A race made certain: the directory is replaced after it was opened, and again before the next one
    is."""
    with open_directory(root, ("docs",)) as docs:
        (root / "docs").rename(root / "moved")
        (root / "docs").symlink_to(tmp_path / "outside")
        assert read_beneath(docs, "a.md", 100) == b"inside", "what was opened is what is read"
        with pytest.raises(FileNotBeneath):
            read_beneath(root, "docs/a.md", 100)


def test_swapping_files_under_load_never_shows_the_outside(root: Path, tmp_path: Path) -> None:
    """One thread turns docs/a.md into a link to the secret and back while another reads it."""
    stop = threading.Event()

    def swap() -> None:
        target, spare = root / "docs" / "a.md", root / "docs" / "spare"
        while not stop.is_set():
            spare.symlink_to(tmp_path / "outside" / "a.md")
            spare.replace(target)
            spare.write_text("inside")
            spare.replace(target)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen = set()
    try:
        for _ in range(2_000):
            try:
                seen.add(read_beneath(root, "docs/a.md", 100))
            except FileNotBeneath:
                seen.add(b"not found")
    finally:
        stop.set()
        swapping.join()
    assert seen <= {b"inside", b"not found"}
    assert b"inside" in seen


def test_sizes_are_limited(root: Path) -> None:
    (root / "big.md").write_bytes(b"x" * 11)
    assert read_beneath(root, "big.md", 11) == b"x" * 11
    with pytest.raises(FileTooLarge):
        read_beneath(root, "big.md", 10)


async def test_a_large_document_says_so(root: Path) -> None:
    with (root / "big.md").open("wb") as file:
        file.truncate(limits.DOCUMENT_BYTES_MAX + 1)
    found = await excerpt(resolvers_of(root), source_ref("fs", {"root": "share", "path": "big.md"}))
    assert (found.excerpt, found.problems, found.tier) == (None, ("too_large",), "best_effort")


def test_endless_files_do_not_block(tmp_path: Path) -> None:
    """/dev itself as the root: its devices are refused by what they are."""
    for device in ("zero", "null", "random", "tty"):
        with pytest.raises(FileNotBeneath):
            read_beneath(Path("/dev"), device, 100)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileNotBeneath):
        read_beneath(tmp_path, "pipe", 100)


def test_descriptors_are_closed(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count of numbers, not of paths
    for path in ("docs/a.md", "docs/missing", "link.md", "pipe"):
        try:
            read_beneath(root, path, 100)
        except FileNotBeneath:
            continue
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.mark.parametrize("path", ["a\0b", "", "/a", "a/", "a/../b", ".", "a/./b"])
def test_only_plain_relative_paths_have_parts(path: str) -> None:
    with pytest.raises(FileNotBeneath):
        relative_parts(path)
