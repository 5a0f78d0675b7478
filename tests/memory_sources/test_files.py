"""Forty memory files and trees: what is read, what is reported, what fails before anything is read (spec 11 §3.2).

Method: real trees with links, pipes, devices, odd names and sizes; an audit hook records what is opened, so
that "before anything is read" and "nothing outside" are seen and not believed.
"""

import os
import resource
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphsvc import limits
from graphsvc.memory_sources.candidates import ingest
from graphsvc.memory_sources.config import MemoryConfig
from graphsvc.memory_sources.files import MemorySourceError
from tests.memory_sources.support import write_tree

Make = Callable[[Path], object]
"""Puts something into `.agent-memory` (its argument); `../../outside` is beside the repository."""

_RECORDINGS: list[list[str]] = []


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and not isinstance(arguments[0], int):
        for recording in _RECORDINGS:
            recording.append(os.fsdecode(arguments[0]))


sys.addaudithook(_record)


@contextmanager
def opened() -> Iterator[list[str]]:
    recording: list[str] = []
    _RECORDINGS.append(recording)
    yield recording
    _RECORDINGS.remove(recording)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The memory directory of a repository with one good memory, beside a secret."""
    write_tree(tmp_path, {"repo/.agent-memory/good.md": "Good.", "outside/secret.md": "Secret.",
                          "repo-secret/secret.md": "Secret.", "repo/docs/real.md": "Real."})  # fmt: skip
    return tmp_path / "repo" / ".agent-memory"


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def unreadable(path: Path, content: str) -> None:
    path.write_text(content)
    path.chmod(0o000)


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


READ: dict[str, tuple[str | bytes, str | bytes, str]] = {
    # name of the file, its content, its fact
    "plain": ("a.md", "Fact.", "Fact."),
    "rule": ("a.mdc", "Fact.", "Fact."),
    "with components": ("a.mdx", "Fact.", "Fact."),
    "in folders": ("x/y/z/a.md", "Fact.", "Fact."),
    "hidden": (".hidden/.a.md", "Fact.", "Fact."),
    "byte order mark": ("a.md", b"\xef\xbb\xbf# T\n\nFact.", "Fact."),
    "byte order mark before front matter": ("a.md", b"\xef\xbb\xbf---\na: b\n---\nFact.", "Fact."),
    "CRLF": ("a.md", b"---\r\na: b\r\n---\r\nFact\r\nhere.\r\n", "Fact here."),
    "CR": ("a.md", b"# T\r\rFact.\r", "Fact."),
    "no end of line": ("a.md", "# T\n\nFact.", "Fact."),
    "empty": ("a.md", "", "a"),
    "control characters": ("a.md", "Fact\x1b[31m\x07.", "Fact\x1b[31m\x07."),
    "name in another script": ("größe 尺寸.md", "", "größe 尺寸"),
    "name with quotes and spaces": ('it\'s "a" b.md', "Fact.", "Fact."),
    "name with two endings": ("a.md.md", "", "a.md"),
    "name of nothing but an ending": (".md", "", ".md"),
    "exactly as large as allowed": ("a.md", b"# T\n" + b" " * (limits.MEMORY_FILE_BYTES_MAX - 4), "T"),
}

REPORTED: dict[str, tuple[Make, str, str]] = {
    # what is made, the path reported, the reason
    "Latin-1": (lambda top: (top / "a.md").write_bytes("Größe".encode("latin-1")), "a.md", "not UTF-8"),
    "UTF-16": (lambda top: (top / "a.md").write_bytes("Fact.".encode("utf-16")), "a.md", "not UTF-8"),
    "NUL": (lambda top: (top / "a.md").write_bytes(b"Fact\0."), "a.md", "has NUL bytes"),
    "name in Latin-1": (
        lambda top: Path(os.fsdecode(os.fsencode(top) + b"/caf\xe9.md")).write_text("x"),
        "caf\\xe9.md",
        "the name is not UTF-8",
    ),
    "pipe": (lambda top: os.mkfifo(top / "a.md"), "a.md", "not a regular file"),
    "socket": (lambda top: bind(top / "a.md"), "a.md", "not a regular file"),
    "link to a file inside": (lambda top: (top / "a.md").symlink_to("../docs/real.md"), "a.md", "a link"),
    "link to a folder inside": (lambda top: (top / "a").symlink_to("../docs"), "a", "a link"),
    "link to itself": (lambda top: (top / "a.md").symlink_to("a.md"), "a.md", "a link"),
    "link to nothing inside": (lambda top: (top / "a.md").symlink_to("nothing"), "a.md", "a link"),
}

REFUSED: dict[str, tuple[Make, str]] = {
    # what is made, words of the error
    "link to a file outside": (
        lambda top: (top / "a.md").symlink_to("../../outside/secret.md"),
        "a.md: a link that",
    ),
    "link by an absolute path": (
        lambda top: (top / "a.md").symlink_to("/etc/passwd"),
        "a.md: a link that leaves",
    ),
    "link to a folder outside": (
        lambda top: (top / "a").symlink_to("../../outside"),
        "/a: a link that leaves",
    ),
    "link to a sibling with the same beginning": (
        lambda top: (top / "a.md").symlink_to("../../repo-secret/secret.md"),
        "a link that leaves",
    ),
    "link to a link outside": (
        lambda top: ((top / "a.md").symlink_to("b"), (top / "b").symlink_to("/etc/passwd")),
        "a.md: a link that leaves",
    ),
    "link to nothing outside": (
        lambda top: (top / "a.md").symlink_to("../../nothing.md"),
        "a link that leaves",
    ),
    "link to a device": (lambda top: (top / "a.md").symlink_to("/dev/zero"), "a link that leaves"),
    "one byte too large": (
        lambda top: sparse(top / "a.md", limits.MEMORY_FILE_BYTES_MAX + 1),
        "a.md: larger than",
    ),
    "100 MB": (lambda top: sparse(top / "a.md", 100_000_000), "a.md: larger than"),
    "too much in all": (
        lambda top: [sparse(top / f"{n}.md", limits.MEMORY_FILE_BYTES_MAX) for n in range(17)],
        f"more than {limits.MEMORY_TOTAL_BYTES_MAX} bytes in all",
    ),
}

IGNORED: dict[str, Make] = {
    "other endings": lambda top: write_tree(top, {"a.txt": "x", "b.MD": "x", "c.md.bak": "x", "md": "x"}),
    "link of another ending": lambda top: (top / "a.txt").symlink_to("/etc/passwd"),
    "pipe of another ending": lambda top: os.mkfifo(top / "a.txt"),
    "folder with the ending of a memory": lambda top: (top / "a.md").mkdir(),
}


def test_there_are_forty_cases() -> None:
    assert len(READ) + len(REPORTED) + len(REFUSED) + len(IGNORED) >= 40


@pytest.mark.parametrize(("name", "content", "fact"), READ.values(), ids=READ)
def test_a_memory_is_read(notes: Path, name: str, content: str | bytes, fact: str) -> None:
    write_tree(notes, {name: content})
    run = ingest(notes.parent, MemoryConfig())
    assert {candidate.path: candidate.fact for candidate in run.candidates} == {
        f".agent-memory/{name}": fact,
        ".agent-memory/good.md": "Good.",
    }
    assert run.unread == ()


@pytest.mark.parametrize(("make", "path", "reason"), REPORTED.values(), ids=REPORTED)
def test_what_cannot_be_used_is_reported_and_the_rest_goes_on(
    notes: Path, make: Make, path: str, reason: str
) -> None:
    make(notes)
    run = ingest(notes.parent, MemoryConfig())
    assert [candidate.fact for candidate in run.candidates] == ["Good."]
    assert run.unread == (("playbook-memory", f".agent-memory/{path}", reason),)


@pytest.mark.parametrize(("make", "words"), REFUSED.values(), ids=REFUSED)
def test_what_must_not_be_fails_before_anything_is_read(notes: Path, make: Make, words: str) -> None:
    make(notes)
    with opened() as recording, pytest.raises(MemorySourceError) as refused:
        ingest(notes.parent, MemoryConfig())
    assert words in str(refused.value)
    assert not [path for path in recording if path.endswith((".md", "passwd", "outside", "zero"))]


@pytest.mark.parametrize("make", IGNORED.values(), ids=IGNORED)
def test_what_is_no_memory_is_none_of_our_business(notes: Path, make: Make) -> None:
    make(notes)
    run = ingest(notes.parent, MemoryConfig())
    assert [candidate.fact for candidate in run.candidates] == ["Good."]
    assert run.unread == ()


def test_files_without_permission_are_reported(notes: Path) -> None:
    unreadable(notes / "a.md", "Fact.")
    run = ingest(notes.parent, MemoryConfig())
    if os.geteuid() == 0:
        assert [candidate.fact for candidate in run.candidates] == ["Fact.", "Good."], (
            "root may read everything"
        )
    else:
        assert run.unread == (("playbook-memory", ".agent-memory/a.md", "cannot be opened"),)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("../outside", r"^\.agent-memory: a link that leaves"),
        ("docs", r"^\.agent-memory: a link; name the directory"),
    ],
)
def test_the_directory_itself_is_no_link(notes: Path, link: str, words: str) -> None:
    repository = notes.parent
    notes.rename(repository / "was")
    notes.symlink_to(link)
    with pytest.raises(MemorySourceError, match=words):
        ingest(repository, MemoryConfig())


def test_a_link_on_the_way_to_the_directory_is_refused(notes: Path) -> None:
    (notes.parent / "way").symlink_to("../outside")
    with pytest.raises(MemorySourceError, match=r"^way: a link that leaves"):
        ingest(notes.parent, MemoryConfig(ingest_dir=["way/notes"]))


def test_the_repository_may_be_reached_by_a_link(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to("repo")
    assert [candidate.fact for candidate in ingest(tmp_path / "shortcut", MemoryConfig()).candidates] == [
        "Good."
    ]


def test_a_repository_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MemorySourceError, match="no such directory"):
        ingest(tmp_path / "nowhere", MemoryConfig())


def test_a_directory_that_is_a_file_is_an_error(notes: Path) -> None:
    with pytest.raises(MemorySourceError, match=r"^docs/real\.md: cannot be read as a directory"):
        ingest(notes.parent, MemoryConfig(ingest_dir=["docs/real.md"]))


def test_missing_directories_are_empty(tmp_path: Path) -> None:
    assert ingest(tmp_path, MemoryConfig(ingest_dir=["a", "b/c"])).candidates == ()


def test_very_deep_trees_are_read(tmp_path: Path) -> None:
    """Deeper than a path may be long, and than the process may have files open at once."""
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        for name in [".agent-memory", *["d" * 20] * 220]:
            os.mkdir(name, dir_fd=directory)
            inner = os.open(name, os.O_RDONLY, dir_fd=directory)
            os.close(directory)
            directory = inner
        os.close(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=directory))
    finally:
        os.close(directory)
    open_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, open_files[1]))
    try:
        assert [candidate.candidate_id for candidate in ingest(tmp_path, MemoryConfig()).candidates] == [
            "deep"
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, open_files)


def test_nothing_outside_of_the_sources_is_opened(notes: Path) -> None:
    write_tree(notes, {"sub/a.md": "A."})
    with opened() as recording:
        ingest(notes.parent, MemoryConfig())
    assert {path for path in recording if not path.endswith((".py", ".pyc"))} == {
        str(notes.parent), ".agent-memory", "sub", "a.md", "good.md", ".cursor",
    } - ({".cursor"} if ".cursor" not in recording else set())  # fmt: skip
