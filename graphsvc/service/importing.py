"""An exported graph into an empty database (spec 10).

The file is checked to its end before anything is written. Writes are paused meanwhile. An import that was cut off goes
on when it is run again with the same file: nodes are found by their references, edges by how many lines are done.
"""

import hashlib
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.graph_lines import (
    FORMAT,
    FORMAT_VERSION,
    Edge,
    LineError,
    Node,
    dumps,
    parse_line,
    reference_of,
)
from graphsvc.errors import GraphsvcError, Problem
from graphsvc.graph import Graph, Transaction
from graphsvc.schema import SCHEMA_VERSION, apply_schema
from graphsvc.service.exporting import HOUSEKEEPING
from graphsvc.service.sealing import keep_restored_heads
from graphsvc.service.write_gate import closed_gate
from graphsvc.settings import Settings

_ROWS_AT_ONCE: Final = 2_000


class ImportRefused(GraphsvcError):
    """The file cannot be imported here; nothing was written."""

    slug = "import_refused"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported."""

    nodes: int
    edges: int
    credentials: bool
    resumed: bool


class _References:
    """Which nodes the file has, and what they are called in the database; on disk."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE node (reference BLOB PRIMARY KEY, id TEXT) WITHOUT ROWID")
        self._db.execute("BEGIN")

    def close(self) -> None:
        self._db.close()

    def add(self, reference: Any) -> bool:
        """Note a node of the file; False for one that was there before."""
        row = self._db.execute("INSERT OR IGNORE INTO node VALUES (?, NULL)", (dumps(reference),))
        return row.rowcount == 1

    def has(self, reference: Any) -> bool:
        row = self._db.execute("SELECT 1 FROM node WHERE reference = ?", (dumps(reference),)).fetchone()
        return row is not None

    def keep(self, reference: Any, element_id: str) -> None:
        self._db.execute("UPDATE node SET id = ? WHERE reference = ?", (element_id, dumps(reference)))

    def id_of(self, reference: Any) -> str | None:
        row = self._db.execute("SELECT id FROM node WHERE reference = ?", (dumps(reference),)).fetchone()
        return None if row is None else row[0]


@dataclass(slots=True)
class _File:
    """A checked file: its header, its digest, its counts."""

    path: Path
    credentials: bool
    sha256: str
    nodes: int
    edges: int

    def things(self) -> Iterator[Node | Edge]:
        with self.path.open("rb") as opened:
            for line in opened:
                thing = parse_line(line)
                if not isinstance(thing, dict):
                    yield thing


class _Check:
    """Reads a file to its end and notes what is wrong with it, line by line."""

    def __init__(self, path: Path, references: _References) -> None:
        self.path, self.references = path, references
        self.number = self.nodes = self.edges = 0
        self.header: dict[str, Any] = {}
        self.end: dict[str, Any] = {}
        self.digest = hashlib.sha256()
        self.problems: list[Problem] = []

    def refuse(self) -> None:
        """Raise ImportRefused if there are problems."""
        if self.problems:
            raise ImportRefused("the file is not a whole export; nothing was written", problems=self.problems)

    def problem(self, reason: str) -> None:
        """Note a problem of this line; too many end the reading."""
        self.problems.append(Problem(f"{self.path}:{self.number}", reason))
        if len(self.problems) >= limits.LOAD_PROBLEMS_SHOWN_MAX:
            self.refuse()

    def line(self, line: bytes) -> None:
        """Check the next line."""
        self.number += 1
        if self.end:
            self.problem("there is something behind the end")
            self.refuse()
        try:
            thing = parse_line(line)
            if self.number == 1:
                self.header = _header(thing)
        except LineError as error:
            self.problem(str(error))
            if self.number == 1:
                self.refuse()
            thing = {}
        if isinstance(thing, Node):
            self._node(thing)
        elif isinstance(thing, Edge):
            self._edge(thing)
        elif thing.get("end"):
            self.end = thing
            if thing.get("sha256") != self.digest.hexdigest():
                self.problem("the lines before the end are not those that were exported")
            return
        self.digest.update(line)

    def _node(self, node: Node) -> None:
        self.nodes += 1
        if self.edges:
            self.problem("a node behind the edges")
        if not self.references.add(node.reference):
            self.problem("the node is there twice")

    def _edge(self, edge: Edge) -> None:
        self.edges += 1
        for name, reference in (("from", edge.start), ("to", edge.end)):
            if not self.references.has(reference):
                self.problem(f"{name!r} names a node that is not in the file")


def _check(path: Path, references: _References, on_progress: Callable[[int], None]) -> _File:
    """Read the file to its end. Raises ImportRefused with the problems, `file:line: reason`."""
    check = _Check(path, references)
    with path.open("rb") as opened:
        while line := opened.readline(limits.LOAD_LINE_BYTES_MAX):
            check.line(line)
            if check.number % _ROWS_AT_ONCE == 0:
                on_progress(_ROWS_AT_ONCE)
    if (check.end.get("nodes"), check.end.get("edges")) != (check.nodes, check.edges):
        check.number += 1
        check.problem("the end is missing, or counts other lines: the file was cut short")
    check.refuse()
    return _File(path, bool(check.header.get("credentials")), check.end["sha256"], check.nodes, check.edges)


def _header(thing: object) -> dict[str, Any]:
    if not isinstance(thing, dict) or thing.get("format") != FORMAT:
        raise LineError("the file is not an exported graph")
    if thing.get("version") != FORMAT_VERSION:
        raise LineError(f"the format has version {thing.get('version')}; this program reads {FORMAT_VERSION}")
    if not isinstance(thing.get("schema_version"), int) or thing["schema_version"] > SCHEMA_VERSION:
        raise LineError("the file comes from a newer schema; upgrade this program first")
    return thing


async def import_graph(
    graph: Graph,
    settings: Settings,
    path: Path,
    *,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Import a file into a database that holds nothing but the operator's own account.

    Raises ImportRefused, GateLost, DatabaseUnavailable, OSError.
    """
    past = graph.past_the_gate()
    with tempfile.TemporaryDirectory(prefix="graphsvc-import-") as folder:
        references = _References(Path(folder) / "references.sqlite")
        try:
            file = _check(path, references, on_progress)
            await apply_schema(past)
            async with closed_gate(past) as gate, _import_under_way(past, file) as edges_done:
                if edges_done is None:
                    await _refuse_unless_empty(past)
                await _know_what_is_there(past, references)
                await _begin(past, file)
                await _create(past, file, references, edges_done or 0, on_progress)
                await gate.confirm()
        finally:
            references.close()
    heads = await graph.read(None, "audit/heads")
    keep_restored_heads(settings, heads)
    return ImportReport(file.nodes, file.edges, file.credentials, resumed=edges_done is not None)


@asynccontextmanager
async def _import_under_way(graph: Graph, file: _File) -> AsyncIterator[int | None]:
    """How many edges of this file a former run has done; None when there was none. The note goes when all is done."""
    rows = await graph.read(None, "housekeeping/import_under_way")
    if rows and rows[0]["sha256"] != file.sha256:
        raise ImportRefused(
            "an import of another file was cut off here: run that one again, or start with a new database"
        )
    yield rows[0]["edges_done"] if rows else None

    async def end(tx: Transaction) -> None:
        await tx.run("housekeeping/end_import")

    await graph.transaction(None, end, name="end_import")


async def _refuse_unless_empty(graph: Graph) -> None:
    found = await graph.read(None, "import/foreign_content", left_out=list(HOUSEKEEPING))
    if found:
        raise ImportRefused(
            f"the database is not empty: it holds a node with the labels {sorted(found[0]['labels'])}"
        )


async def _know_what_is_there(graph: Graph, references: _References) -> None:
    rows = graph.stream("export/nodes", since=None, heads={}, left_out=list(HOUSEKEEPING))
    async for row in rows:
        references.keep(reference_of(row["labels"], row["properties"]), row["id"])


async def _begin(graph: Graph, file: _File) -> None:
    async def work(tx: Transaction) -> None:
        await tx.run("housekeeping/begin_import", sha256=file.sha256)

    await graph.transaction(None, work, name="begin_import")


async def _create(
    graph: Graph, file: _File, references: _References, edges_done: int, on_progress: Callable[[int], None]
) -> None:
    nodes: list[Node] = []
    edges: list[Edge] = []
    done = 0

    async def put_nodes() -> None:
        rows = [
            {
                "index": index,
                "id": references.id_of(node.reference),
                "labels": node.labels,
                "properties": node.properties,
            }
            for index, node in enumerate(nodes)
        ]

        async def work(tx: Transaction) -> list[dict[str, Any]]:
            return await tx.run("import/create_nodes", rows=rows)

        answered, _ = await graph.transaction(None, work, name="import_nodes")
        for row in answered:
            references.keep(nodes[row["index"]].reference, row["id"])
        on_progress(len(nodes))
        nodes.clear()

    async def put_edges() -> None:
        rows = [
            {
                "type": edge.type,
                "start": references.id_of(edge.start),
                "end": references.id_of(edge.end),
                "properties": edge.properties,
            }
            for edge in edges
        ]

        async def work(tx: Transaction) -> int:
            return int((await tx.run("import/create_edges", rows=rows, done=done))[0]["created"])

        created, _ = await graph.transaction(None, work, name="import_edges")
        if created != len(rows):
            raise ImportRefused("a node that was imported is gone; start again with a new database")
        on_progress(len(edges))
        edges.clear()

    for thing in file.things():
        if isinstance(thing, Node):
            nodes.append(thing)
            if len(nodes) == _ROWS_AT_ONCE:
                await put_nodes()
            continue
        if nodes:
            await put_nodes()
        done += 1
        if done <= edges_done:
            continue
        edges.append(thing)
        if len(edges) == _ROWS_AT_ONCE:
            await put_edges()
    if nodes:
        await put_nodes()
    if edges:
        await put_edges()
