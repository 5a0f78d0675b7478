"""`fs_git` against a repository made by git itself: renames, rewritten history, submodules, LFS, binaries,
sizes.

Method: the real `git` writes a repository step by step; each case asks for a path as of a commit and gets the
right excerpt or the right code, whatever the branches, the index and the work tree have become since.
"""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from graphsvc import limits
from graphsvc.errors import InvalidRequest, NotFound
from graphsvc.resolvers.excerpt import Excerpt
from graphsvc.resolvers.registry import Registry
from tests.resolvers.support import ATLAS, excerpt, registry, sha256, source_ref

SUPPLIERS = "# Suppliers\n\nAcme Print offers same-day turnaround.\n"
LFS_POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)
NOT_UTF8_NAME = b"caf\xe9.md"
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip


def git(directory: Path, *arguments: str | bytes) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=directory, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(directory: Path, message: str) -> str:
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(directory, "rev-parse", "HEAD")


@dataclass(frozen=True)
class History:
    """A repository and the commits of its story."""

    path: Path
    first: str
    renamed: str
    overwritten: str
    on_deleted_branch: str
    odd: str


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    base = tmp_path_factory.mktemp("git")
    part, repo = base / "part", base / "handbook"
    for directory in (part, repo):
        directory.mkdir()
        git(directory, "init", "--quiet", "--initial-branch=main")
    (part / "inner.md").write_text("inner")
    commit(part, "inner")

    (repo / "docs").mkdir()
    (repo / "docs" / "suppliers.md").write_text(SUPPLIERS)
    first = commit(repo, "first")
    git(repo, "mv", "docs/suppliers.md", "docs/partners.md")
    (repo / "docs" / "partners.md").write_text(SUPPLIERS + "Paul Pack, too.\n")
    renamed = commit(repo, "rename")

    git(repo, "checkout", "--quiet", "-b", "draft")
    (repo / "docs" / "draft.md").write_text("only on the branch")
    on_deleted_branch = commit(repo, "draft")
    git(repo, "checkout", "--quiet", "main")
    git(repo, "branch", "--quiet", "-D", "draft")

    (repo / "docs" / "partners.md").write_text("overwritten")
    overwritten = commit(repo, "to be rewritten")
    git(repo, "reset", "--quiet", "--hard", renamed)  # what a forced push does to a branch

    odd = _odd_commit(repo, part)
    (repo / "docs" / "partners.md").write_text("changed in the work tree, in no commit")
    return History(repo, first, renamed, overwritten, on_deleted_branch, odd)


def _odd_commit(repo: Path, part: Path) -> str:
    (repo / "model.bin").write_text(LFS_POINTER)
    (repo / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (repo / "latin.txt").write_bytes("Größe".encode("latin-1"))
    (repo / "big.txt").write_bytes(b"0123456789abcde\n" * (5 * 1024 * 1024 // 16))
    (repo / "limit.txt").write_bytes(b"x" * limits.DOCUMENT_BYTES_MAX)
    (repo / "empty.md").write_text("")
    (repo / "run.sh").write_text("echo hello\n")
    (repo / "run.sh").chmod(0o755)
    (repo / "link.md").symlink_to("/etc/passwd")
    (repo / "docs-link").symlink_to("docs")
    (repo / "größe 尺寸.md").write_text("named")
    Path(os.fsdecode(os.fsencode(repo) + b"/" + NOT_UTF8_NAME)).write_text("unnamed")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "vendor/part")
    return commit(repo, "odd")


def resolvers_of(path: Path) -> Registry:
    return registry({"fs_git": {"handbook": {"path": str(path), "scopes": [ATLAS]}}})


async def ask(history: History, commit_sha: str, path: str, **parts: Any) -> Excerpt:
    value = source_ref(
        "fs_git", {"repo": "handbook", "path": path}, state={"commit_sha": commit_sha}, **parts
    )
    return await excerpt(resolvers_of(history.path), value)


async def test_a_commit_answers_as_it_was(history: History) -> None:
    found = await ask(history, history.first, "docs/suppliers.md", locator={"quote": {"exact": "same-day"}})
    assert (found.excerpt, found.selector) == (SUPPLIERS, "quote")
    assert (found.tier, found.verified, found.problems) == ("reproducible", True, ())
    assert found.content_sha256 == sha256(SUPPLIERS.encode())


async def test_a_rename_is_another_path_from_then_on(history: History) -> None:
    assert (await ask(history, history.first, "docs/suppliers.md")).excerpt == SUPPLIERS
    assert (
        await ask(history, history.renamed, "docs/partners.md")
    ).excerpt == SUPPLIERS + "Paul Pack, too.\n"
    for commit_sha, path in ((history.first, "docs/partners.md"), (history.renamed, "docs/suppliers.md")):
        with pytest.raises(NotFound):
            await ask(history, commit_sha, path)


async def test_the_work_tree_is_never_read(history: History) -> None:
    assert "work tree" in (history.path / "docs" / "partners.md").read_text()
    assert (await ask(history, history.odd, "docs/partners.md")).excerpt == SUPPLIERS + "Paul Pack, too.\n"


async def test_rewritten_history_and_deleted_branches_still_answer(history: History) -> None:
    assert (await ask(history, history.overwritten, "docs/partners.md")).excerpt == "overwritten"
    assert (await ask(history, history.on_deleted_branch, "docs/draft.md")).excerpt == "only on the branch"


async def test_what_git_has_thrown_away_is_unknown(history: History, tmp_path: Path) -> None:
    """A clone brings only what the branches hold; a commit beyond them is gone."""
    git(tmp_path, "clone", "--quiet", "--bare", "--no-local", str(history.path), "clone.git")
    clone = replace(history, path=tmp_path / "clone.git")
    assert (await ask(clone, history.first, "docs/suppliers.md")).excerpt == SUPPLIERS, (
        "a bare one, and packed"
    )
    for lost in (history.overwritten, history.on_deleted_branch, "0" * 40, "f" * 64):
        found = await ask(clone, lost, "docs/partners.md")
        assert (found.excerpt, found.verified, found.problems) == (None, False, ("commit_unknown",))


async def test_an_id_of_something_else_is_no_commit(history: History) -> None:
    for name in ("HEAD:docs/partners.md", "HEAD:docs"):
        other = git(history.path, "rev-parse", name)
        assert (await ask(history, other, "docs/partners.md")).problems == ("commit_unknown",)


@pytest.mark.parametrize(
    ("path", "code"),
    [("model.bin", "binary"), ("logo.png", "binary"), ("latin.txt", "binary"), ("big.txt", "too_large")],
)
async def test_what_is_no_text_or_too_much_says_so(history: History, path: str, code: str) -> None:
    found = await ask(history, history.odd, path)
    assert (found.excerpt, found.verified, found.problems) == (None, False, (code,))


@pytest.mark.parametrize(
    ("path", "text"),
    [("empty.md", ""), ("run.sh", "echo hello\n"), ("größe 尺寸.md", "named"), ("limit.txt", "x" * 8192)],
)
async def test_regular_files_of_all_kinds_answer(history: History, path: str, text: str) -> None:
    found = await ask(history, history.odd, path)
    assert (found.excerpt, found.verified) == (text, True)


@pytest.mark.parametrize(
    "path",
    [
        "vendor/part",
        "vendor/part/inner.md",
        "link.md",
        "docs-link",
        "docs-link/partners.md",
        "docs",
        "missing.md",
        "docs/partners.md/more",
        "caf\u00e9.md",
        "caf\ufffd.md",
        "../handbook/docs/partners.md",
        "/docs/partners.md",
        "docs//partners.md",
        "./docs/partners.md",
        "docs/../docs/partners.md",
        ".git/config",
        "",
        ".",
        "HEAD:docs/partners.md",
        "Docs/partners.md",
    ],
)
async def test_submodules_links_and_wrong_paths_are_not_found(history: History, path: str) -> None:
    with pytest.raises(NotFound):
        await ask(history, history.odd, path)


async def test_hashes_are_checked_against_the_blob(history: History) -> None:
    wrong = await ask(
        history, history.first, "docs/suppliers.md", hashes={"content_sha256": sha256(b"other")}
    )
    assert (wrong.verified, wrong.problems) == (False, ("content_hash_mismatch",))
    assert wrong.excerpt == SUPPLIERS
    lfs = await ask(history, history.odd, "model.bin", hashes={"content_sha256": sha256(b"the real model")})
    assert (lfs.excerpt, lfs.problems) == (None, ("binary",))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"commit_sha": "main"},
        {"commit_sha": "9f2c"},
        {"commit_sha": "A" * 40},
    ],
)
async def test_a_full_commit_id_is_required(history: History, state: dict[str, str]) -> None:
    value = source_ref("fs_git", {"repo": "handbook", "path": "docs/partners.md"}, state=state)
    with pytest.raises(InvalidRequest) as refused:
        await excerpt(resolvers_of(history.path), value)
    assert [problem.path for problem in refused.value.problems] == ["$.source_ref.state.commit_sha"]


async def test_a_state_that_git_does_not_have_stays_unchecked(history: History) -> None:
    value = source_ref("fs_git", {"repo": "handbook", "path": "docs/suppliers.md"},
                       state={"commit_sha": history.first, "branch": "main"})  # fmt: skip
    found = await excerpt(resolvers_of(history.path), value)
    assert (found.verified, found.problems) == (False, ())


async def test_a_repository_is_where_the_operator_says(history: History) -> None:
    """Neither a folder inside of a repository nor one that is none is taken for one."""
    for path in (history.path / "docs", history.path.parent, history.path / "missing"):
        with pytest.raises(NotFound):
            await ask(replace(history, path=path), history.first, "docs/suppliers.md")
