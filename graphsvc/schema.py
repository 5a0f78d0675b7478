"""Applies `cypher/schema/`: idempotent, versioned, safe when several replicas start at once (spec 10)."""

import asyncio
import re
from collections.abc import Mapping
from typing import Final

from neo4j.exceptions import ClientError, Neo4jError, TransientError

from graphsvc.errors import NotReady
from graphsvc.graph import Graph, Transaction
from graphsvc.queries import QueryFileError, load_schema

SCHEMA_VERSION: Final = 1
_ATTEMPTS: Final = 10
_INDEX_WAIT_S: Final = 300
_NAME: Final = re.compile(r"CREATE\s+(?:\w+\s+)?(?:CONSTRAINT|INDEX)\s+(\w+)\s+IF NOT EXISTS", re.IGNORECASE)
_ALREADY_THERE: Final = ("EquivalentSchemaRuleAlreadyExists", "ConstraintAlreadyExists", "IndexAlreadyExists")


async def apply_schema(graph: Graph) -> int:
    """Make sure that all constraints and indexes exist and are online; returns the schema version.

    Only what is not there is made: one that is to be another gets another name. Each statement is `IF NOT EXISTS`;
    replicas that race on one see it exist, or a deadlock, and go on.
    """
    there = {row["name"] for row in await graph.read(None, "system/schema_names")}
    for name, statement in schema_statements().items():
        if name not in there:
            await _apply(graph, statement)
    await graph.read(None, "system/await_indexes", seconds=_INDEX_WAIT_S)

    async def record(tx: Transaction) -> int:
        rows = await tx.run("system/schema_version", version=SCHEMA_VERSION)
        return int(rows[0]["version"])

    version, _ = await graph.transaction(None, record, name="schema_version")
    return version


def schema_statements() -> Mapping[str, str]:
    """The statements of `cypher/schema/` in order, by the name of the constraint or index that each makes."""
    return {_name(file, statement): statement for file, statement in load_schema().items()}


def _name(file: str, statement: str) -> str:
    found = _NAME.search(statement)
    if found is None:
        raise QueryFileError(f"cypher/schema/{file}.cypher: makes no constraint or index IF NOT EXISTS")
    return found.group(1)


async def _apply(graph: Graph, statement: str) -> None:
    for attempt in range(_ATTEMPTS):
        try:
            await graph.run_schema(statement)
        except (ClientError, TransientError) as error:
            if any(name in (error.code or "") for name in _ALREADY_THERE):
                return
            if not isinstance(error, Neo4jError) or not error.is_retryable() or attempt == _ATTEMPTS - 1:
                raise
            await asyncio.sleep(0.1 * (attempt + 1))
        else:
            return


async def check_ready(graph: Graph) -> None:
    """NotReady unless the schema is current and every index is online."""
    current = await graph.read(None, "system/current_schema")
    if not current or current[0]["version"] < SCHEMA_VERSION:
        raise NotReady("the schema is not in place")
    if await graph.read(None, "system/indexes_not_online"):
        raise NotReady("indexes are not online")
