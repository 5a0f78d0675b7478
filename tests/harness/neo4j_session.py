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


def database_hits(database: Database, statement: str, **params: Any) -> int:
    """How many accesses to the store the database counts for one reading statement."""

    def counted(step: dict[str, Any]) -> int:
        return int(step["args"].get("DbHits", 0)) + sum(counted(child) for child in step.get("children", ()))

    with GraphDatabase.driver(
        database.bolt_url, auth=(database.user, database.password), notifications_min_severity="OFF"
    ) as driver:
        _, summary, _ = driver.execute_query(f"PROFILE {statement}", params)
        return counted(summary.profile or {"args": {}})
