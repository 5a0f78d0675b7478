"""Looks at (and tampers with) the database behind the service's back."""

from typing import Any

from neo4j import GraphDatabase

from tests.conftest import Database


def cypher(database: Database, statement: str, **params: Any) -> list[dict[str, Any]]:
    """Run one statement as the database's own user and return its rows."""
    with GraphDatabase.driver(
        database.bolt_url, auth=(database.user, database.password), notifications_min_severity="OFF"
    ) as driver:
        records, _, _ = driver.execute_query(statement, params)
        return [record.data() for record in records]
