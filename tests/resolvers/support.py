"""What the resolver tests share: a registry as an installed package would have it, and callers of it."""

import hashlib
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from graphsvc.domain.source_ref import parse_source_ref
from graphsvc.resolvers.base import ENTRY_POINT_GROUP, DocumentStore
from graphsvc.resolvers.excerpt import Excerpt, Level, get_excerpt
from graphsvc.resolvers.registry import Registry
from graphsvc.scope import Principal, Scope

ATLAS = "project:atlas"
BEACON = "project:beacon"
REPOSITORY_ROOT = Path(__file__).parents[2]


def declared_entry_points() -> list[EntryPoint]:
    """The entry points of this project, installed or not."""
    project = tomllib.loads((REPOSITORY_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"][ENTRY_POINT_GROUP]
    return [EntryPoint(name, value, ENTRY_POINT_GROUP) for name, value in declared.items()]


def registry(tables: dict[str, Any], documents: DocumentStore | None = None) -> Registry:
    """A registry of the resolvers that come with the service."""
    return Registry(tables, documents, found=declared_entry_points())


def scope_of(*readable: str) -> Scope:
    """What a caller sees who may read these scopes."""
    grants = {scope: frozenset({"read"}) for scope in readable}
    known = frozenset({"shared", ATLAS, BEACON})
    return Principal("tester", "agent", grants, known, None, "tok_test").read_scope()


def source_ref(resolver: str, ref: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A source_ref of this resolver."""
    return {"schema": "source_ref/v1", "resolver": resolver, "ref": ref, **parts}


async def excerpt(
    resolvers: Registry, value: dict[str, Any], level: Level = "L1", scope: Scope | None = None
) -> Excerpt:
    """Ask for an excerpt as a reader of project:atlas."""
    return await get_excerpt(resolvers, parse_source_ref(value), level, scope or scope_of(ATLAS))


def sha256(content: bytes) -> str:
    """The hash as a source_ref writes it."""
    return hashlib.sha256(content).hexdigest()
