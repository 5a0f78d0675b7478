"""Resolver `fs_git`: a file of a repository as of one commit. Reproducible.

    {"resolver": "fs_git", "ref": {"repo": "handbook", "path": "docs/suppliers.md"},
     "state": {"commit_sha": "9f2c…"}}

Only the object database is read, never the work tree, the index or a branch: a commit that no branch holds
any more still resolves for as long as git keeps it, and is `commit_unknown` after that. A link or a
submodule in the tree is not a document. A Git LFS pointer stands for content that is elsewhere, and is
`binary`.
"""

import asyncio
from typing import Annotated, Final

import pygit2
from pydantic import StringConstraints
from pygit2.enums import FileMode, Option, RepositoryOpenFlag

from graphsvc import limits
from graphsvc.beneath import FileNotBeneath, relative_parts
from graphsvc.errors import NotFound
from graphsvc.resolvers.aliases import Aliases, PathAlias
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope

_REGULAR: Final = frozenset({FileMode.BLOB, FileMode.BLOB_EXECUTABLE})
_LFS_POINTER_START: Final = b"version https://git-lfs.github.com/spec/"
_LFS_POINTER_BYTES_MAX: Final = 1024


class Ref(Part):
    """Where the file is."""

    repo: str
    path: str


class State(Part):
    """Which version of it."""

    commit_sha: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]


class FsGit:
    """Reads blobs by commit and path."""

    tier: Tier = "reproducible"

    def __init__(self, repos: Aliases[PathAlias]) -> None:
        self._repos = repos

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The blob's bytes. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        commit_sha = address.parse_state(State).commit_sha
        repo = self._repos.get(wanted.repo, scope)
        try:
            content = await asyncio.to_thread(_read_blob, repo, commit_sha, wanted.path)
        except FileNotBeneath:
            raise NotFound from None
        return ResolvedDocument(content, state_held=frozenset({"commit_sha"}))


def _read_blob(alias: PathAlias, commit_sha: str, path: str) -> bytes:
    parts = relative_parts(path)
    try:
        repository = pygit2.Repository(str(alias.path), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError:
        raise NotFound from None
    found: pygit2.Object = _commit(repository, commit_sha).tree
    for part in parts:
        if not isinstance(found, pygit2.Tree) or part not in found:
            raise NotFound
        found = found[part]
    if found.filemode not in _REGULAR:
        raise NotFound
    return _content(repository, found.id)


def _commit(repository: pygit2.Repository, commit_sha: str) -> pygit2.Commit:
    try:
        commit = repository.get(commit_sha)
    except ValueError:  # a SHA-256 id in a SHA-1 repository
        commit = None
    if not isinstance(commit, pygit2.Commit):
        raise DocumentProblem("commit_unknown")
    return commit


def _content(repository: pygit2.Repository, blob_id: pygit2.Oid) -> bytes:
    try:
        # The size comes first, so that a huge blob is never unpacked.
        _, size_bytes = repository.odb.read_header(blob_id)
        if size_bytes > limits.DOCUMENT_BYTES_MAX:
            raise DocumentProblem("too_large")
        blob = repository.get(blob_id)
    except KeyError:  # a partial clone does not have it
        blob = None
    if not isinstance(blob, pygit2.Blob):
        raise NotFound
    if size_bytes <= _LFS_POINTER_BYTES_MAX and blob.data.startswith(_LFS_POINTER_START):
        raise DocumentProblem("binary")
    return blob.data


def create(setup: Setup) -> FsGit | None:
    """The resolver for `[resolvers.fs_git]`; off without it."""
    repos = Aliases("fs_git", PathAlias, setup.table or {})
    if not repos:
        return None
    # git refuses repositories of other users since their configuration may run programs. Objects run nothing,
    # and which repositories are read is the operator's word.
    pygit2.option(Option.SET_OWNER_VALIDATION, 0)
    return FsGit(repos)
