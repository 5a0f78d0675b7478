"""The whole graph as lines, consistent while others write (spec 08, 10; docs/decisions/0005-write-gate.md).

Neo4j reads what is committed at each moment, so one long reading is no picture of one moment. The graph is read once
while writes go on; then the gate for writes closes, the log is sealed, and what may have changed meanwhile is read
again. A temporary file on disk puts the lines in order, so that memory does not grow with the graph.
"""

import hashlib
import os
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from graphsvc.domain.graph_lines import (
    FORMAT,
    FORMAT_VERSION,
    LineError,
    dumps,
    edge_line,
    node_line,
    reference_of,
)
from graphsvc.errors import GraphsvcError
from graphsvc.graph import Graph
from graphsvc.schema import SCHEMA_VERSION
from graphsvc.service.sealing import seal_all
from graphsvc.service.write_gate import closed_gate
from graphsvc.settings import Settings

HOUSEKEEPING: Final = ("IdempotencyKey", "Import", "LoadCheckpoint", "SchemaVersion", "WriteGate")
"""Labels of nodes that hold no content: never exported."""
CREDENTIALS: Final = ("Token",)
"""Labels of nodes that let somebody in: in backups only."""
_ROWS_AT_ONCE: Final = 5_000
_CLOCK_TOLERANCE_MS: Final = 500


class ExportFailed(GraphsvcError):
    """The graph cannot be written as lines."""

    slug = "export_failed"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written: lines, the file's digest, and how long writes were paused."""

    nodes: int
    edges: int
    sha256: str
    paused_s: float
    seconds: float


class _Lines:
    """Lines in order, on disk. A later line replaces an earlier one of the same thing."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE ref (id INTEGER PRIMARY KEY, reference BLOB)")
        self._db.execute("CREATE TABLE node (place BLOB PRIMARY KEY, line BLOB) WITHOUT ROWID")
        self._db.execute("CREATE TABLE edge (place BLOB PRIMARY KEY, line BLOB) WITHOUT ROWID")

    def close(self) -> None:
        self._db.close()

    def add_nodes(self, rows: Iterable[dict[str, Any]]) -> None:
        with self._transaction():
            for row in rows:
                try:
                    reference = reference_of(row["labels"], row["properties"])
                    line = node_line(reference, row["labels"], row["properties"])
                except LineError as error:
                    raise ExportFailed(str(error)) from error
                place = dumps(reference)
                self._db.execute("INSERT OR REPLACE INTO ref VALUES (?, ?)", (_number(row["id"]), place))
                self._db.execute("INSERT OR REPLACE INTO node VALUES (?, ?)", (place, line))

    def add_edges(self, rows: Iterable[dict[str, Any]]) -> None:
        with self._transaction():
            for row in rows:
                ends = [self._reference(row["start_id"]), self._reference(row["end_id"])]
                if ends[0] is None or ends[1] is None:
                    # An end came after the nodes were read: the reading behind the gate has it, and this edge.
                    continue
                try:
                    place, line = edge_line(row["type"], ends[0], ends[1], row["properties"])
                except LineError as error:
                    raise ExportFailed(str(error)) from error
                self._db.execute("INSERT OR REPLACE INTO edge VALUES (?, ?)", (place, line))

    def _reference(self, element_id: str) -> Any:
        row = self._db.execute("SELECT reference FROM ref WHERE id = ?", (_number(element_id),)).fetchone()
        return None if row is None else orjson.loads(row[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN")
        yield
        self._db.execute("COMMIT")

    def count(self, table: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own two names

    def lines(self) -> Iterator[bytes]:
        for table in ("node", "edge"):
            for (line,) in self._db.execute(f"SELECT line FROM {table} ORDER BY place"):  # noqa: S608 - the same
                yield line


def _number(element_id: str) -> int:
    """A node's place in its store: the last part of its element id."""
    return int(element_id.rpartition(":")[2])


async def export_graph(
    graph: Graph,
    settings: Settings,
    file: Path,
    *,
    credentials: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ExportReport:
    """Write the whole graph to a file that only its owner may read: whole, or not at all.

    `credentials`: with tokens, as hashes (a backup). Raises ExportFailed, GateLost, DatabaseUnavailable, OSError.
    """
    left_out = [*HOUSEKEEPING, *([] if credentials else CREDENTIALS)]
    past = graph.past_the_gate()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as folder:
        lines = _Lines(Path(folder) / "lines.sqlite")
        try:
            await seal_all(graph, settings)
            clock = await _clock_offset_ms(graph)
            since = (await graph.read(None, "history/settled_until"))[0]["until"]
            heads = {row["scope"]: row["seq"] for row in await graph.read(None, "audit/heads")}
            await _read(past, lines, None, {}, left_out, on_progress)
            async with closed_gate(past) as gate:
                paused = time.monotonic()
                await seal_all(past, settings)
                is_steady = abs(await _clock_offset_ms(graph) - clock) < _CLOCK_TOLERANCE_MS
                # With a clock that was set meanwhile, times say nothing: all is read again.
                await _read(past, lines, since if is_steady else None, heads, left_out, on_progress)
                await gate.confirm()
            paused_s = time.monotonic() - paused
            header = {
                "format": FORMAT,
                "version": FORMAT_VERSION,
                "schema_version": SCHEMA_VERSION,
                "credentials": credentials,
            }
            nodes, edges = lines.count("node"), lines.count("edge")
            sha256 = _write(file, Path(folder) / "whole", header, lines.lines(), nodes, edges)
        finally:
            lines.close()
    return ExportReport(nodes, edges, sha256, paused_s, time.monotonic() - started)


async def _clock_offset_ms(graph: Graph) -> float:
    """How far the database's clock is from this process's steady one."""
    now = (await graph.read(None, "system/clock"))[0]["now_ms"]
    return float(now) - time.monotonic() * 1_000


async def _read(
    graph: Graph,
    lines: _Lines,
    since: str | None,
    heads: dict[str, int],
    left_out: list[str],
    on_progress: Callable[[int], None],
) -> None:
    nodes = graph.stream("export/nodes", since=since, heads=heads, left_out=left_out)
    async for rows in _batches(nodes):
        lines.add_nodes(rows)
        on_progress(len(rows))
    async for rows in _batches(graph.stream("export/edges", since=since, left_out=left_out)):
        lines.add_edges(rows)
        on_progress(len(rows))


async def _batches(rows: AsyncIterator[dict[str, Any]]) -> AsyncIterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    async for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _write(
    file: Path, unfinished: Path, header: dict[str, Any], lines: Iterator[bytes], nodes: int, edges: int
) -> str:
    digest = hashlib.sha256()

    def put(opened: BinaryIO, line: bytes) -> None:
        digest.update(line + b"\n")
        opened.write(line + b"\n")

    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        put(opened, dumps(header))
        for line in lines:
            put(opened, line)
        sha256 = digest.hexdigest()
        put(opened, dumps({"end": True, "nodes": nodes, "edges": edges, "sha256": sha256}))
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)
    return sha256
