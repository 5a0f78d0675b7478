"""Resolver `fs_worktree`: a file in the work tree of a repository, as it is now; for local development.

    {"resolver": "fs_worktree", "ref": {"repo": "handbook", "path": "docs/suppliers.md"},
     "hashes": {"content_sha256": "…"}}

Nothing but a hash can verify what it reads. For references that hold for ever use `fs_git`.
"""

import asyncio

from graphsvc.errors import NotFound
from graphsvc.resolvers.aliases import Aliases, PathAlias
from graphsvc.resolvers.base import Address, Part, ResolvedDocument, Setup, Tier
from graphsvc.resolvers.fs import read_document
from graphsvc.scope import Scope


class Ref(Part):
    """Where the file is."""

    repo: str
    path: str


class FsWorktree:
    """Reads regular files of a work tree; the repository's own `.git` is not part of it."""

    tier: Tier = "best_effort"

    def __init__(self, repos: Aliases[PathAlias]) -> None:
        self._repos = repos

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The file's bytes. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        repo = self._repos.get(wanted.repo, scope)
        if any(part.casefold() == ".git" for part in wanted.path.split("/")):
            raise NotFound
        return await asyncio.to_thread(read_document, repo, wanted.path)


def create(setup: Setup) -> FsWorktree | None:
    """The resolver for `[resolvers.fs_worktree]`; off without it."""
    repos = Aliases("fs_worktree", PathAlias, setup.table or {})
    return FsWorktree(repos) if repos else None
