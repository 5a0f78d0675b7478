"""Finding resolvers and aliases: by entry point, by configuration, by what the caller may read.

Goal: what is not installed, not switched on, not configured or not allowed is told apart only where it may
be. Method: the entry points that the project declares, real files, callers of two projects.
"""

import asyncio
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from graphsvc.configuration import ConfigurationError
from graphsvc.domain.source_ref import parse_source_ref
from graphsvc.errors import DeadlineExceeded, InvalidRequest, NotFound
from graphsvc.resolvers.base import ENTRY_POINT_GROUP, Address, ResolvedDocument, Tier
from graphsvc.resolvers.excerpt import get_excerpt
from graphsvc.resolvers.registry import Registry
from graphsvc.scope import Scope
from tests.resolvers.support import (
    ATLAS,
    BEACON,
    REPOSITORY_ROOT,
    declared_entry_points,
    excerpt,
    registry,
    scope_of,
    sha256,
    source_ref,
)


def test_the_eight_resolvers_are_declared() -> None:
    assert sorted(entry.name for entry in declared_entry_points()) == [
        "codex_thread", "fs", "fs_git", "fs_worktree", "graph_doc", "pg_doc", "sqlite_doc", "url",
    ]  # fmt: skip


async def test_an_unknown_resolver_is_named() -> None:
    found = await excerpt(registry({}), source_ref("lighthouse", {}))
    assert found.as_answer() == {
        "excerpt": None, "span": None, "excerpt_span": None, "selector": None, "tier": None, "verified":
        False, "problems": ["resolver_unknown"], "content_sha256": None, "excerpt_sha256": None,
    }  # fmt: skip


@pytest.mark.parametrize("entry", declared_entry_points(), ids=lambda entry: entry.name)
async def test_every_resolver_is_off_unless_configured(entry: Any) -> None:
    found = await excerpt(registry({}), source_ref(entry.name, {}))
    assert found.problems == ("resolver_disabled",)


async def test_a_resolver_without_its_library_is_off_or_a_fault_of_configuration() -> None:
    """As `pg_doc` is where psycopg is not installed."""
    found = [EntryPoint("lighthouse", "graphsvc.no_such_library:create", ENTRY_POINT_GROUP)]
    assert (await excerpt(Registry({}, found=found), source_ref("lighthouse", {}))).problems == (
        "resolver_disabled",
    )
    with pytest.raises(ConfigurationError, match=r"\[resolvers\.lighthouse\]: No module named"):
        Registry({"lighthouse": {}}, found=found)


async def test_an_alias_exists_for_the_readers_of_its_scopes_only(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    resolvers = registry({"fs": {"notes": {"path": str(tmp_path), "scopes": [ATLAS, "shared"]}}})
    mine = source_ref("fs", {"root": "notes", "path": "a.md"})
    assert (await excerpt(resolvers, mine, scope=scope_of(ATLAS))).excerpt == "text"
    assert (await excerpt(resolvers, mine, scope=scope_of())).excerpt == "text", "everybody reads shared"
    private = registry({"fs": {"notes": {"path": str(tmp_path), "scopes": [BEACON]}}})
    with pytest.raises(NotFound) as foreign:
        await excerpt(private, mine, scope=scope_of(ATLAS))
    with pytest.raises(NotFound) as missing:
        await excerpt(private, source_ref("fs", {"root": "nowhere", "path": "a.md"}), scope=scope_of(ATLAS))
    assert (str(foreign.value), foreign.value.problems) == (str(missing.value), missing.value.problems)


async def test_the_shape_of_ref_is_checked_alike_for_every_caller(tmp_path: Path) -> None:
    resolvers = registry({"fs": {"notes": {"path": str(tmp_path), "scopes": [BEACON]}}})
    with pytest.raises(InvalidRequest) as refused:
        await excerpt(resolvers, source_ref("fs", {"root": 5}))
    assert {problem.path for problem in refused.value.problems} == {
        "$.source_ref.ref.root",
        "$.source_ref.ref.path",
    }


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"lighthouse": {}}, r"\[resolvers\.lighthouse\]: no such resolver"),
        ({"fs": {"notes": {"path": "/srv"}}}, r"resolvers\.fs\.notes\.scopes"),
        ({"fs": {"notes": {"path": "srv", "scopes": ["shared"]}}}, r"notes\.path: must be an absolute path"),
        ({"fs": {"notes": {"path": "/srv", "scopes": []}}}, r"notes\.scopes"),
        ({"fs": {"notes": {"path": "/srv", "scopes": ["Project Atlas"]}}}, r"notes\.scopes\.0"),
        ({"fs": {"notes": {"path": "/srv", "scopes": ["shared"], "pth": 1}}}, r"notes\.pth"),
        ({"fs": {"notes": "/srv"}}, r"resolvers\.fs\.notes"),
        ({"sqlite_doc": {"db": {"path": "/x.db", "scopes": ["shared"]}}}, r"db\.tables"),
        ({"url": {"h.example": {"scopes": ["shared"], "port": 0}}}, r"port"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused_by_name(tables: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        registry(tables)


class _Documents:
    """Two stored documents, one a scope."""

    async def read_document(self, scope: Scope, doc_id: str, chunk_id: str | None) -> bytes | None:
        stored = {("doc_1", None): (ATLAS, b"whole"), ("doc_1", "chk_1"): (ATLAS, b"part"),
                  ("doc_2", None): (BEACON, b"other")}  # fmt: skip
        owner, content = stored.get((doc_id, chunk_id), (BEACON, b""))
        return content if owner in scope.visible else None


async def test_documents_of_the_graph_are_read_through_the_store() -> None:
    resolvers = registry({}, _Documents())
    chunk = source_ref(
        "graph_doc", {"doc_id": "doc_1", "chunk_id": "chk_1"}, state={"content_sha256": sha256(b"part")}
    )
    found = await excerpt(resolvers, chunk)
    assert (found.excerpt, found.verified, found.tier) == ("part", True, "reproducible")
    for missing in ({"doc_id": "doc_2"}, {"doc_id": "doc_3"}, {"doc_id": "doc_1", "chunk_id": "chk_2"}):
        with pytest.raises(NotFound):
            await excerpt(resolvers, source_ref("graph_doc", missing))


class _Stuck:
    tier: Tier = "best_effort"

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:  # noqa: ARG002
        await asyncio.sleep(60)
        raise AssertionError


async def test_a_resolver_has_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphsvc.limits.RESOLVER_DEADLINE_S", 0.01)
    with pytest.raises(DeadlineExceeded):
        await registry({}).resolve(_Stuck(), Address({}, {}), scope_of(ATLAS))


async def test_a_locator_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    resolvers = registry({"fs": {"notes": {"path": str(tmp_path), "scopes": [ATLAS]}}})
    value = source_ref("fs", {"root": "notes", "path": "missing"}, locator={"heading": 1})
    with pytest.raises(InvalidRequest):
        await get_excerpt(resolvers, parse_source_ref(value), "L1", scope_of(ATLAS))


def test_installed_packages_are_asked_by_default() -> None:
    Registry({})


def test_the_core_imports_no_resolver() -> None:
    """Not even asking for an excerpt imports one that is not used, nor the libraries that they need."""
    script = (
        "import sys, graphsvc.resolvers.excerpt; wanted = ('graphsvc.resolvers.', 'pygit2', 'psycopg');"
        "print(*sorted(name for name in sys.modules if name.startswith(wanted)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY_ROOT, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(REPOSITORY_ROOT)},
    )  # fmt: skip
    assert loaded.stdout.split() == [
        f"graphsvc.resolvers.{name}" for name in ("base", "excerpt", "locator", "registry")
    ]
    names = "|".join(entry.name for entry in declared_entry_points())
    an_import = re.compile(rf"^\s*(from|import) graphsvc\.resolvers(\.| import )({names})\b", re.MULTILINE)
    importers = [
        path
        for path in (REPOSITORY_ROOT / "graphsvc").rglob("*.py")
        if path.parent.name != "resolvers" and an_import.search(path.read_text(encoding="utf-8"))
    ]
    assert importers == []
