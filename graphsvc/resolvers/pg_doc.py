"""Resolver `pg_doc`: one cell of a PostgreSQL database, as it is now. Needs the extra `graphsvc[postgres]`.

    {"resolver": "pg_doc", "ref": {"database": "crm", "table": "notes", "key": 17, "column": "body"}}

One read-only transaction with a time limit. As with `sqlite_doc`, tables, columns and keys are the operator's
word and no text of a reference becomes SQL; still, give it a database user that may read nothing else.
"""

from typing import Annotated, Any, Final

import psycopg
from psycopg import sql
from pydantic import Field, SecretStr

from graphsvc import limits
from graphsvc.errors import NotFound, Unavailable
from graphsvc.resolvers.aliases import Alias, Aliases, TableAccess
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope

_STATEMENT: Final = sql.SQL(
    "SELECT octet_length({column}), CASE WHEN octet_length({column}) <= %s THEN {column} END"
    " FROM {schema}.{table} WHERE {key} = %s LIMIT 2"
)
_CONNECT_TIMEOUT_S: Final = 3
_STATEMENT_TIMEOUT_MS: Final = 3_000


class Ref(Part):
    """Which cell."""

    database: str
    table: str
    key: str | int
    column: str


class Table(TableAccess):
    """A table and the schema it is in. The columns are of type text, varchar or bytea."""

    schema_name: Annotated[str, Field(alias="schema")] = "public"


class Database(Alias):
    """How to reach a database, as libpq says it (a URI or key=value pairs), and the documents in it."""

    conninfo: SecretStr
    tables: Annotated[dict[str, Table], Field(min_length=1)]


class PgDoc:
    """Reads one cell by key."""

    tier: Tier = "best_effort"

    def __init__(self, databases: Aliases[Database]) -> None:
        self._databases = databases

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The cell's text in UTF-8, or its bytes. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        database = self._databases.get(wanted.database, scope)
        table = database.tables.get(wanted.table)
        if table is None or wanted.column not in table.columns:
            raise NotFound
        statement = _STATEMENT.format(
            column=sql.Identifier(wanted.column),
            schema=sql.Identifier(table.schema_name),
            table=sql.Identifier(wanted.table),
            key=sql.Identifier(table.key),
        )
        return _document(await _rows(database, statement, wanted.key))


async def _rows(database: Database, statement: sql.Composed, key: str | int) -> list[tuple[Any, ...]]:
    try:
        async with await psycopg.AsyncConnection.connect(
            database.conninfo.get_secret_value(),
            connect_timeout=_CONNECT_TIMEOUT_S,
            client_encoding="UTF8",
            options=f"-c statement_timeout={_STATEMENT_TIMEOUT_MS} -c default_transaction_read_only=on",
        ) as connection:
            await connection.set_read_only(True)
            cursor = await connection.execute(statement, (limits.DOCUMENT_BYTES_MAX, key))
            return await cursor.fetchall()
    except psycopg.DataError:  # a key that the column's type cannot hold is in no row
        return []
    except psycopg.Error as error:
        raise Unavailable("the document's database cannot be read") from error


def _document(rows: list[tuple[Any, ...]]) -> ResolvedDocument:
    if len(rows) != 1 or rows[0][0] is None:  # a key with two owners names nobody
        raise NotFound
    content = rows[0][1]
    if content is None:
        raise DocumentProblem("too_large")
    return ResolvedDocument(content.encode() if isinstance(content, str) else bytes(content))


def create(setup: Setup) -> PgDoc | None:
    """The resolver for `[resolvers.pg_doc]`; off without it."""
    databases = Aliases("pg_doc", Database, setup.table or {})
    return PgDoc(databases) if databases else None
