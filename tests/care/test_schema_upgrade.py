"""Goal: a database with the first schema, or with half of one, and with data in it, is brought up to date at start (spec 10).

Method: `first_schema.cypher` is the schema of the first version, kept as it was; data are written under it; then the schema of
today is applied, twice and by two processes at once.
"""

import asyncio
from pathlib import Path

import pytest

from graphsvc.errors import NotReady
from graphsvc.graph import Graph
from graphsvc.schema import SCHEMA_VERSION, apply_schema, check_ready
from graphsvc.service.doctor import diagnose
from tests.care.conftest import Empty, on
from tests.conftest import Database
from tests.harness.neo4j_session import cypher

FIRST = Path(__file__).with_name("first_schema.cypher")


def without_schema(database: Database) -> None:
    for row in cypher(database, "SHOW CONSTRAINTS YIELD name"):
        cypher(database, f"DROP CONSTRAINT `{row['name']}`")
    for row in cypher(database, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        cypher(database, f"DROP INDEX `{row['name']}`")


def test_the_first_schema_with_data_becomes_that_of_today(empty: Empty) -> None:
    database = empty()
    without_schema(database)
    statements = [statement.strip() for statement in FIRST.read_text().split(";") if statement.strip()]
    assert len(statements) > 20
    for statement in statements:
        cypher(database, statement)
    cypher(database, "CREATE (:SchemaVersion {id: 'graphsvc', version: 0})")
    cypher(
        database,
        "CREATE (:Scope {id: 'shared'}) WITH 1 AS one UNWIND range(1, 200) AS i "
        "CREATE (:Entity {id: 'ent_' + i, scope: 'shared', name: 'E' + i, name_key: 'e' + i})",
    )
    before = {finding.check for finding in on(database, diagnose, schema=False).findings}
    assert {"schema_version", "schema_missing"} <= before

    async def upgrade(graph: Graph) -> None:
        with pytest.raises(NotReady):
            await check_ready(graph)
        assert await asyncio.gather(apply_schema(graph), apply_schema(graph)) == [SCHEMA_VERSION] * 2
        await check_ready(graph)

    on(database, upgrade, schema=False)
    after = {finding.check for finding in on(database, diagnose, schema=False).findings}
    assert not after & {"schema_version", "schema_missing", "indexes_not_online"}
    assert cypher(database, "MATCH (e:Entity) RETURN count(e) AS n") == [{"n": 200}]
    # What a constraint of today forbids is forbidden to what was written before, too.
    with pytest.raises(Exception, match="already exists"):
        cypher(database, "CREATE (:Entity {id: 'ent_1'})")


def test_a_newer_schema_is_left_alone(empty: Empty) -> None:
    database = empty()
    cypher(database, "CREATE (:SchemaVersion {id: 'graphsvc', version: 99})")
    assert on(database, apply_schema, schema=False) == 99
    found = {finding.check: finding for finding in on(database, diagnose, schema=False).findings}
    assert found["schema_version"].advice == "Upgrade this program."
