"""A second, empty Neo4j beside that of the run, as Community has one database a server; emptied before each use."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Database
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.neo4j_session import cypher


@pytest.fixture(scope="package")
def other_neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jProcess]:
    """The second server."""
    process = Neo4jProcess(tmp_path_factory.mktemp("other-neo4j")).start()
    yield process
    process.stop()


@pytest.fixture
def empty(other_neo4j: Neo4jProcess) -> Callable[[], Database]:
    """`empty()`: the second server's database, with nothing in it."""

    def make() -> Database:
        database = Database(other_neo4j.bolt_url, other_neo4j.user, other_neo4j.password, "managed")
        cypher(database, "MATCH (n) DETACH DELETE n")
        return database

    return make
