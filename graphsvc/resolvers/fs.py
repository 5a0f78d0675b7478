"""Resolver `fs`: a file beneath a configured root, as it is now.

{"resolver": "fs", "ref": {"root": "notes", "path": "2026/fairs.md"}}
"""

import asyncio

from graphsvc import limits
from graphsvc.beneath import FileNotBeneath, FileTooLarge, read_beneath
from graphsvc.errors import NotFound
from graphsvc.resolvers.aliases import Aliases, PathAlias
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope


class Ref(Part):
    """Where the file is."""

    root: str
    path: str


class Fs:
    """Reads regular files beneath the root; a link anywhere on the way is no file."""

    tier: Tier = "best_effort"

    def __init__(self, roots: Aliases[PathAlias]) -> None:
        self._roots = roots

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The file's bytes. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        return await asyncio.to_thread(read_document, self._roots.get(wanted.root, scope), wanted.path)


def read_document(root: PathAlias, path: str) -> ResolvedDocument:
    """The document at `path` beneath a configured directory, in the terms of resolvers."""
    try:
        return ResolvedDocument(read_beneath(root.path, path, limits.DOCUMENT_BYTES_MAX))
    except FileNotBeneath:
        raise NotFound from None
    except FileTooLarge:
        raise DocumentProblem("too_large") from None


def create(setup: Setup) -> Fs | None:
    """The resolver for `[resolvers.fs]`; off without it."""
    roots = Aliases("fs", PathAlias, setup.table or {})
    return Fs(roots) if roots else None
