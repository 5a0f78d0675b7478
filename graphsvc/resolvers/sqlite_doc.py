"""Resolver `sqlite_doc`: one cell of a SQLite database, as it is now.

    {"resolver": "sqlite_doc", "ref": {"database": "notes", "table": "note", "key": 17, "column": "body"}}

The database is opened read-only. Which tables and columns may be read, and which column finds the row, is the
operator's word; a reference only chooses among them, so none of its text ever becomes SQL.
"""

import asyncio
import sqlite3
from contextlib import closing
from typing import Annotated, Final
from urllib.parse import quote

from pydantic import Field

from graphsvc import limits
from graphsvc.errors import NotFound, Unavailable
from graphsvc.resolvers.aliases import Aliases, PathAlias, TableAccess
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope

_LOCK_WAIT_S: Final = 1.0
_STEPS_PER_CHECK: Final = 100_000
_CHECKS_MAX: Final = 2_000
"""A lookup by key takes a few steps; a scan of a table without an index is stopped after some seconds."""


class Ref(Part):
    """Which cell."""

    database: str
    table: str
    key: str | int
    column: str


class Database(PathAlias):
    """A database file and the cells in it that are documents."""

    tables: Annotated[dict[str, TableAccess], Field(min_length=1)]


class SqliteDoc:
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
        return await asyncio.to_thread(_read_cell, database, table, wanted)


def _read_cell(database: Database, table: TableAccess, wanted: Ref) -> ResolvedDocument:
    address = f"file:{quote(str(database.path))}?mode=ro"
    checks = iter(range(_CHECKS_MAX))
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_LOCK_WAIT_S)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.DOCUMENT_BYTES_MAX)
            connection.set_progress_handler(lambda: next(checks, None) is None, _STEPS_PER_CHECK)
            connection.text_factory = bytes
            rows = connection.execute(_statement(table, wanted), (wanted.key,)).fetchall()
    except sqlite3.DataError:  # over the limit of length
        raise DocumentProblem("too_large") from None
    except sqlite3.Error as error:
        raise Unavailable("the document's database cannot be read") from error
    if len(rows) != 1 or not isinstance(rows[0][0], bytes):  # a key with two owners names nobody
        raise NotFound
    return ResolvedDocument(rows[0][0])


def _statement(table: TableAccess, wanted: Ref) -> str:
    """SQLite takes no names as parameters: these are words of the configuration, quoted. The key is one."""
    column, source, key = (_identifier(name) for name in (wanted.column, wanted.table, table.key))
    return f"SELECT {column} FROM {source} WHERE {key} = ? LIMIT 2"  # noqa: S608 - see above


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def create(setup: Setup) -> SqliteDoc | None:
    """The resolver for `[resolvers.sqlite_doc]`; off without it."""
    databases = Aliases("sqlite_doc", Database, setup.table or {})
    return SqliteDoc(databases) if databases else None
