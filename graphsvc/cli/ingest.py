"""`graphsvc ingest`: the Markdown memories of a repository at the terminal (spec 06)."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

import typer

from graphsvc.auth import Authenticator
from graphsvc.configuration import Configuration, ConfigurationError, read_configuration
from graphsvc.database import DatabaseAddress, connect, database_address, managed_neo4j
from graphsvc.errors import GraphsvcError
from graphsvc.ids import new_id
from graphsvc.memory_sources import report
from graphsvc.memory_sources.candidates import Ingestion, ingest
from graphsvc.memory_sources.config import Adapter, MemoryConfig
from graphsvc.memory_sources.draft import draft_claims
from graphsvc.memory_sources.files import MemorySourceError
from graphsvc.memory_sources.freshness import find_stale
from graphsvc.memory_sources.supports import (
    MemoryRelation,
    Owner,
    OwnerLookup,
    Support,
    find_support,
    not_analyzed,
)
from graphsvc.operator_token import ensure_operator, read_token
from graphsvc.schema import apply_schema
from graphsvc.service.call import Call
from graphsvc.service.memory import MemoryStore
from graphsvc.settings import Settings

CONFIGURATION_FILE: Final = Path("graphsvc.toml")
NEEDS_GRAPH: Final = "needs the graph, and there is none at hand"
_CAPTURED: Final = "captured build: local notes are not read"


class MemoryGraph(OwnerLookup, Protocol):
    """What the command needs of the graph."""

    async def stored_relations(self) -> list[MemoryRelation]:
        """The memory-supports relations that the graph holds of this repository in the write scope."""

    async def store(
        self, ingestion: Ingestion, support: Support | None, sources: Sequence[tuple[Adapter, str]]
    ) -> dict[str, int]:
        """Keep the candidates, and the relations if there are any; answers with counts of outcomes."""


class GraphAtHand:
    """The graph of this home, as the caller of the command sees it. Each call has a connection of its own."""

    def __init__(self, settings: Settings, address: DatabaseAddress, scope: str | None, repo: str) -> None:
        self._settings = settings
        self._address = address
        self._scope = scope
        self._repo = repo

    async def owners_of(self, values: Sequence[str]) -> Mapping[str, Collection[Owner]]:
        """See OwnerLookup."""
        async with self._store() as store:
            return await store.owners_of(values)

    async def stored_relations(self) -> list[MemoryRelation]:
        """See MemoryGraph."""
        async with self._store() as store:
            return await store.stored_relations()

    async def store(
        self, ingestion: Ingestion, support: Support | None, sources: Sequence[tuple[Adapter, str]]
    ) -> dict[str, int]:
        """See MemoryGraph."""
        async with self._store() as store:
            return await store.store(ingestion, support, sources)

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[MemoryStore]:
        graph = connect(self._settings, self._address)
        try:
            await apply_schema(graph)
            given = self._settings.token
            if given is None:
                await ensure_operator(graph, self._settings.token_file)
            token = given.get_secret_value() if given else read_token(self._settings.token_file)
            principal = await Authenticator(graph, 0).authenticate(f"Bearer {token}")
            yield MemoryStore(Call(graph, principal, new_id("req")), self._scope, self._repo)
        finally:
            await graph.close()


def open_memory_graph(scope: str | None, repo: str) -> MemoryGraph | None:
    """The graph side of the command: the database in the settings, or the managed one if it runs."""
    settings = Settings()
    if settings.neo4j_uri is None and managed_neo4j(settings).status() is None:
        return None
    # A name that is not UTF-8 is spelled in escapes, as paths are.
    spelled = os.fsencode(repo).decode(errors="backslashreplace")
    return GraphAtHand(settings, database_address(settings), scope, spelled)


def ingest_command(
    *,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Configuration file; default: graphsvc.toml, if there is one."),
    ] = None,
    repo: Annotated[
        Path | None,
        typer.Option("--repo", help="Top of the repository; default: where the configuration file is."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    captured: Annotated[
        bool, typer.Option("--captured", help="Read no local note; coverage says not-analyzed.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Report links that do not hold any more; exit code 1 if there are any."),
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="With --check: the links of this report instead of the graph's."),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="Print proposed claims, for a person to send.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Keep candidates and links in the graph.")] = False,
    scope: Annotated[
        str | None,
        typer.Option("--scope", help="Scope of --write, --draft and links; default: the principal's."),
    ] = None,
) -> None:
    """Read the Markdown memories of a repository and report them. Writes nothing unless told.

    Example: graphsvc ingest --repo ~/handbook --json
    """
    try:
        configuration, repository = _read_inputs(config, repo)
        if check and not captured:
            stale = _check(configuration, repository, against, scope, as_json)
        else:
            stale = False
            _report(
                configuration.memory,
                repository,
                captured=captured,
                draft=draft,
                write=write,
                scope=scope,
                as_json=as_json,
            )
    except (ConfigurationError, MemorySourceError, GraphsvcError) as error:
        typer.echo(f"graphsvc ingest: {error}", err=True)
        raise typer.Exit(1) from None
    if stale:
        raise typer.Exit(1)


def _read_inputs(config: Path | None, repo: Path | None) -> tuple[Configuration, Path]:
    file = config or CONFIGURATION_FILE
    found = read_configuration(file) if config or file.exists() else Configuration()
    return found, (repo or file.parent).absolute()


def _report(
    memory: MemoryConfig,
    repository: Path,
    *,
    captured: bool,
    draft: bool,
    write: bool,
    scope: str | None,
    as_json: bool,
) -> None:
    graph = open_memory_graph(scope, repository.name) if memory.knowledge_entities or write else None
    if write and graph is None:
        raise MemorySourceError(f"--write {NEEDS_GRAPH}")
    ingestion = Ingestion((), ()) if captured else ingest(repository, memory)
    support = _support(ingestion, graph, captured) if memory.knowledge_entities or captured else None
    if draft:
        _print_json(draft_claims(ingestion, support.relations if support else (), repository.name, scope))
        return
    if write and graph is not None and not captured:
        written = asyncio.run(graph.store(ingestion, support, memory.sources()))
        told = ", ".join(f"{count} {what}" for what, count in written.items()) or "nothing to keep"
        typer.echo(f"in the graph: {told}", err=True)  # beside the report, which stays the same byte for byte
    found = report.as_json(memory, ingestion, support)
    _print(report.to_bytes(found) if as_json else _text(report.to_lines(found)))


def _support(ingestion: Ingestion, graph: MemoryGraph | None, captured: bool) -> Support:
    if captured:
        return not_analyzed(_CAPTURED)
    if graph is None:
        return not_analyzed("no graph is at hand")
    return asyncio.run(find_support(ingestion, graph))


def _check(
    configuration: Configuration, repository: Path, against: Path | None, scope: str | None, as_json: bool
) -> bool:
    """Print the stale links; whether there are any."""
    graph = open_memory_graph(scope, repository.name)
    if against is not None:
        stored = _read_report(against)
    elif graph is not None:
        stored = asyncio.run(graph.stored_relations())
    else:
        raise MemorySourceError(f"--check {NEEDS_GRAPH}; name an earlier report with --against")
    owners = asyncio.run(graph.owners_of(sorted({link.value for link in stored}))) if graph else None
    stale = find_stale(stored, ingest(repository, configuration.memory), owners)
    owners_checked = owners is not None
    if as_json:
        found = [link.as_json() for link in stale]
        _print_json({"checked": len(stored), "owners_checked": owners_checked, "stale": found})
    else:
        lines = [f"{link.reason:<14} {link.relation.raw_path} -> {link.relation.target}" for link in stale]
        note = "" if owners_checked else " (owners not looked at: no graph)"
        _print(_text([*lines, f"{len(stored)} links checked, {len(stale)} stale{note}"]))
    return bool(stale)


def _read_report(path: Path) -> list[MemoryRelation]:
    try:
        return report.read_relations(path.read_bytes())
    except OSError as error:
        raise MemorySourceError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise MemorySourceError(f"{path}: not a report of graphsvc ingest --json") from None


def _print_json(value: dict[str, Any]) -> None:
    _print(json.dumps(value, indent=2, ensure_ascii=True).encode("ascii") + b"\n")


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _print(content: bytes) -> None:
    """Bytes, since a text would be spelled as the locale has it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
