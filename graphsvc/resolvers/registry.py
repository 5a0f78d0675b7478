"""The resolvers of this service: found by entry point, configured by the operator (spec 05).

An installed package adds a resolver with

    [project.entry-points."graphsvc.resolvers"]
    fs_git = "graphsvc.resolvers.fs_git:create"

and the operator switches it on with a table `[resolvers.fs_git]`. A module is imported only when it is used.
"""

import asyncio
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from graphsvc import limits
from graphsvc.configuration import ConfigurationError
from graphsvc.errors import DeadlineExceeded
from graphsvc.resolvers.base import (
    ENTRY_POINT_GROUP,
    Address,
    DocumentProblem,
    DocumentStore,
    Factory,
    ResolvedDocument,
    Resolver,
    Setup,
)
from graphsvc.scope import Scope

_BUILT_IN: Final = tuple(
    EntryPoint(name, f"graphsvc.resolvers.{name}:create", ENTRY_POINT_GROUP)
    for name in (
        *("codex_thread", "fs", "fs_git", "fs_worktree", "graph_doc", "pg_doc", "sqlite_doc", "url"),
    )
)
"""Those that come with the service, which may run from a checkout where nothing is installed."""


class Registry:
    """The resolvers by name. Made once at start."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Any]],
        documents: DocumentStore | None = None,
        found: Iterable[EntryPoint] | None = None,
    ) -> None:
        """Configure what `tables` (the table `[resolvers]`) names; ConfigurationError for what does not fit.

        `found` are the entry points; by default those of all installed packages and of the service itself.
        """
        installed = [*_BUILT_IN, *entry_points(group=ENTRY_POINT_GROUP)] if found is None else found
        self._found = {entry.name: entry for entry in installed}
        self._tables = tables
        self._documents = documents
        self._made: dict[str, Resolver | None] = {}
        for name in sorted(tables):
            if name not in self._found:
                raise ConfigurationError(f"[resolvers.{name}]: no such resolver is installed")
            self._make(name)

    def get(self, name: str) -> Resolver:
        """The resolver of that name; DocumentProblem `resolver_unknown` or `resolver_disabled` without it."""
        if name not in self._found:
            raise DocumentProblem("resolver_unknown")
        resolver = self._make(name)
        if resolver is None:
            raise DocumentProblem("resolver_disabled")
        return resolver

    async def resolve(self, resolver: Resolver, address: Address, scope: Scope) -> ResolvedDocument:
        """Ask a resolver, within its deadline. Raises what `base` lists, and DeadlineExceeded."""
        try:
            async with asyncio.timeout(limits.RESOLVER_DEADLINE_S):
                return await resolver.resolve(address, scope)
        except TimeoutError:
            raise DeadlineExceeded from None

    def _make(self, name: str) -> Resolver | None:
        if name not in self._made:
            self._made[name] = self._load(name)
        return self._made[name]

    def _load(self, name: str) -> Resolver | None:
        try:
            factory: Factory = self._found[name].load()
        except ImportError as error:  # a library of an extra that is not installed
            if name in self._tables:
                raise ConfigurationError(f"[resolvers.{name}]: {error}") from error
            return None
        return factory(Setup(self._tables.get(name), self._documents))
