"""A Neo4j that the tests of this folder have for themselves: they empty it, fill it, look at all of it.

It is a second managed one, or the one that GRAPHSVC_TEST_EMPTY_NEO4J_URI (and …_PASSWORD) names, whose content is lost.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphsvc.graph import Graph
from graphsvc.schema import apply_schema
from graphsvc.service.exporting import ExportReport, export_graph
from graphsvc.service.importing import ImportReport, import_graph
from graphsvc.settings import Settings
from tests.conftest import Database
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import ServiceProcess

Empty = Callable[[], Database]


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Empty]:
    """`empty()`: the database, with nothing in it."""
    uri = os.environ.get("GRAPHSVC_TEST_EMPTY_NEO4J_URI")
    process = None if uri else Neo4jProcess(tmp_path_factory.mktemp("alone-neo4j")).start()
    database = (
        Database(process.bolt_url, process.user, process.password, "managed")
        if process
        else Database(str(uri), "neo4j", os.environ["GRAPHSVC_TEST_EMPTY_NEO4J_PASSWORD"], "given")
    )

    def make() -> Database:
        cypher(database, "MATCH (n) DETACH DELETE n")
        return database

    yield make
    if process:
        process.stop()


def on(database: Database, work: Callable[[Graph], Any], *, schema: bool = True) -> Any:
    """Run something on a database, with the schema in place."""

    async def run() -> Any:
        graph = Graph.connect(database.bolt_url, database.user, database.password)
        try:
            if schema:
                await apply_schema(graph)
            return await work(graph)
        finally:
            await graph.close()

    return asyncio.run(run())


def export(database: Database, home: Path, file: Path, **options: Any) -> ExportReport:
    """Export with the key of this home."""
    report: ExportReport = on(
        database, lambda graph: export_graph(graph, Settings(home=home), file, **options), schema=False
    )
    return report


def bring(database: Database, home: Path, file: Path, **options: Any) -> ImportReport:
    """Import with the key of this home."""
    report: ImportReport = on(
        database, lambda graph: import_graph(graph, Settings(home=home), file, **options), schema=False
    )
    return report


def service_on(database: Database, home: Path, **settings: str) -> ServiceProcess:
    """A service with this home on the database, with time enough for a busy machine."""
    env = {
        "GRAPHSVC_REQUEST_DEADLINE_MS": "60000",
        **{f"GRAPHSVC_{name}": value for name, value in settings.items()},
    }
    return ServiceProcess(home, database.bolt_url, database.user, database.password, extra_env=env)
