"""`sqlite_doc` and `pg_doc`: one cell by key, read-only, and nothing that was not named by the operator.

Method: a real SQLite file, and a real PostgreSQL server on a private socket, started for this module. Where
there is no `initdb` (nor GRAPHSVC_TEST_POSTGRES with the address of a server), the PostgreSQL half is skipped
and says so. Both databases hold the same tables, and the same cases run against both.
"""

import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from graphsvc import limits
from graphsvc.errors import InvalidRequest, NotFound, Unavailable
from graphsvc.resolvers.registry import Registry
from tests.resolvers.support import ATLAS, BEACON, excerpt, registry, scope_of, source_ref

Database = Callable[[str], dict[str, Any]]
"""From the name of a resolver to its configured alias, without the scopes."""

HOSTILE_NAME = 'odd "name"; DROP TABLE note; --'
ROWS = [
    ("n1", "The first note.", b"\xff\x00", None),
    ("n2", "é🏭 " * 10, b"bytes that are text", "secret"),
    ("größe", "named", None, None),
    ("twice", "a", None, None),
    ("twice", "b", None, None),
    ("big", "x" * (limits.DOCUMENT_BYTES_MAX + 1), None, None),
    ("limit", "x" * limits.DOCUMENT_BYTES_MAX, None, None),
    ("x' OR '1'='1", "quoted", None, None),
]
TABLES = {
    "note": {"key": "slug", "columns": ["body", "raw"]},
    HOSTILE_NAME: {"key": HOSTILE_NAME, "columns": [HOSTILE_NAME]},
    "numbered": {"key": "id", "columns": ["body"]},
}


@pytest.fixture(scope="module")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "notes ?#%.db"
    odd = HOSTILE_NAME.replace('"', '""')
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (slug TEXT, body TEXT, raw BLOB, secret TEXT)")
        connection.executemany("INSERT INTO note VALUES (?, ?, ?, ?)", ROWS)
        connection.execute(f'CREATE TABLE "{odd}" ("{odd}" TEXT)')
        connection.execute(f'INSERT INTO "{odd}" VALUES (?)', ("k",))  # noqa: S608 - a constant
        connection.execute("CREATE TABLE numbered (id INTEGER PRIMARY KEY, body TEXT)")
        connection.execute("INSERT INTO numbered VALUES (17, 'seventeen')")
        connection.execute("CREATE TABLE private (slug TEXT, body TEXT)")
        connection.commit()
    return path


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server with the same tables."""
    given = os.environ.get("GRAPHSVC_TEST_POSTGRES")
    if given:
        _fill(given)
        yield given
        return
    found = shutil.which("initdb") or next(
        (str(p) for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")), None
    )
    if found is None:
        pytest.skip("no PostgreSQL here: no initdb, and GRAPHSVC_TEST_POSTGRES is not set")
    programs = Path(found).resolve().parent
    # The server refuses to run as root; its packages bring a user for it.
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    with tempfile.TemporaryDirectory(prefix="graphsvc-pg-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

        def run(program: str, *arguments: str) -> None:
            subprocess.run([programs / program, *arguments], check=True, capture_output=True, cwd=folder,
                           user=user if os.geteuid() == 0 else None, env=environment, timeout=60)  # fmt: skip

        run("initdb", "-D", data, "-U", "tester", "--auth=trust", "--encoding=UTF8", "--no-sync")
        server = f"-c listen_addresses='' -c fsync=off -k {folder}"
        run("pg_ctl", "-D", data, "-o", server, "-l", f"{folder}/log", "-w", "start")
        try:
            address = f"host={folder} user=tester dbname=postgres"
            _fill(address)
            yield address
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _fill(address: str) -> None:
    odd = sql.Identifier(HOSTILE_NAME)
    with psycopg.connect(address) as connection:
        connection.execute("DROP TABLE IF EXISTS note, numbered, private")
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(odd))
        connection.execute("CREATE TABLE note (slug text, body text, raw bytea, secret text)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO note VALUES (%s, %s, %s, %s)", ROWS)
        connection.execute(sql.SQL("CREATE TABLE {odd} ({odd} text)").format(odd=odd))
        connection.execute(sql.SQL("INSERT INTO {} VALUES ('k')").format(odd))
        connection.execute("CREATE TABLE numbered (id integer PRIMARY KEY, body text)")
        connection.execute("INSERT INTO numbered VALUES (17, 'seventeen')")
        connection.execute("CREATE TABLE private (slug text, body text)")


@pytest.fixture(params=["sqlite_doc", "pg_doc"])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def resolvers(kind: str, request: pytest.FixtureRequest) -> Registry:
    if kind == "sqlite_doc":
        access = {"path": str(request.getfixturevalue("sqlite_file"))}
    else:
        access = {"conninfo": request.getfixturevalue("postgres")}
    return registry({kind: {"db": {**access, "scopes": [ATLAS], "tables": TABLES}}})


def cell(kind: str, key: Any, table: str = "note", column: str = "body") -> dict[str, Any]:
    return source_ref(kind, {"database": "db", "table": table, "key": key, "column": column})


@pytest.mark.parametrize(
    ("key", "table", "column", "text"),
    [
        ("n1", "note", "body", "The first note."),
        ("n2", "note", "body", "é🏭 " * 10),
        ("n2", "note", "raw", "bytes that are text"),
        ("größe", "note", "body", "named"),
        ("x' OR '1'='1", "note", "body", "quoted"),
        (17, "numbered", "body", "seventeen"),
        ("k", HOSTILE_NAME, HOSTILE_NAME, "k"),
        ("limit", "note", "body", "x" * 8192),
    ],
)
async def test_one_cell_is_the_document(
    resolvers: Registry, kind: str, key: Any, table: str, column: str, text: str
) -> None:
    found = await excerpt(resolvers, cell(kind, key, table, column))
    assert (found.excerpt, found.tier, found.problems) == (text, "best_effort", ())


@pytest.mark.parametrize(
    ("key", "table", "column"),
    [
        ("missing", "note", "body"),
        ("twice", "note", "body"),
        ("n1", "note", "secret"),
        ("n1", "note", "slug"),
        ("n1", "note", "body, secret"),
        ("n1", "note", '"body"'),
        ("n1", "private", "body"),
        ("n1", "sqlite_master", "sql"),
        ("n1", "note WHERE 1=1 --", "body"),
        ("n1", "NOTE", "body"),
        ("größe", "note", "raw"),
        ("' OR 1=1 --", "note", "body"),
        (18, "numbered", "body"),
        ("no number", "numbered", "body"),
    ],
)
async def test_everything_else_is_not_found(
    resolvers: Registry, kind: str, key: Any, table: str, column: str
) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, cell(kind, key, table, column))


async def test_large_and_binary_cells_say_so(resolvers: Registry, kind: str) -> None:
    assert (await excerpt(resolvers, cell(kind, "big"))).problems == ("too_large",)
    assert (await excerpt(resolvers, cell(kind, "n1", column="raw"))).problems == ("binary",)


async def test_a_database_exists_for_its_readers_only(resolvers: Registry, kind: str) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, cell(kind, "n1"), scope=scope_of(BEACON))


@pytest.mark.parametrize("key", [None, 1.5, ["n1"], {"slug": "n1"}, True])
async def test_a_key_is_a_text_or_a_whole_number(resolvers: Registry, kind: str, key: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await excerpt(resolvers, cell(kind, key))
    assert all(problem.path.startswith("$.source_ref.ref.key") for problem in refused.value.problems)


async def test_reading_leaves_a_sqlite_file_and_its_folder_alone(sqlite_file: Path) -> None:
    before, names = sqlite_file.read_bytes(), os.listdir(sqlite_file.parent)  # noqa: PTH208
    resolvers = registry(
        {"sqlite_doc": {"db": {"path": str(sqlite_file), "scopes": [ATLAS], "tables": TABLES}}}
    )
    sqlite_file.chmod(0o444)
    assert (await excerpt(resolvers, cell("sqlite_doc", "n1"))).excerpt == "The first note."
    assert sqlite_file.read_bytes() == before
    assert os.listdir(sqlite_file.parent) == names  # noqa: PTH208


async def test_a_scan_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view may hide any amount of work behind one cell."""
    monkeypatch.setattr("graphsvc.resolvers.sqlite_doc._CHECKS_MAX", 3)
    path = tmp_path / "slow.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT i AS id, 'x' AS body FROM n"
        )
    tables = {"slow": {"key": "id", "columns": ["body"]}}
    resolvers = registry({"sqlite_doc": {"db": {"path": str(path), "scopes": [ATLAS], "tables": tables}}})
    with pytest.raises(Unavailable):
        await excerpt(resolvers, cell("sqlite_doc", -1, table="slow"))


async def test_a_database_that_is_away_is_unavailable(kind: str, tmp_path: Path) -> None:
    away = {"path": str(tmp_path / "none.db")} if kind == "sqlite_doc" else {"conninfo": f"host={tmp_path}"}
    resolvers = registry({kind: {"db": {**away, "scopes": [ATLAS], "tables": TABLES}}})
    with pytest.raises(Unavailable) as refused:
        await excerpt(resolvers, cell(kind, "n1"))
    assert str(tmp_path) not in str(refused.value)
    assert not (tmp_path / "none.db").exists()


async def test_postgres_sessions_cannot_write(postgres: str) -> None:
    """Even a view that writes when it is read changes nothing."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS visits (n integer)")
        connection.execute(
            "CREATE OR REPLACE FUNCTION visit() RETURNS text LANGUAGE sql AS"
            " $$ INSERT INTO visits VALUES (1) RETURNING 'seen' $$"
        )
        connection.execute("CREATE OR REPLACE VIEW visiting AS SELECT 1 AS id, visit() AS body")
    tables = {"visiting": {"key": "id", "columns": ["body"]}}
    resolvers = registry({"pg_doc": {"db": {"conninfo": postgres, "scopes": [ATLAS], "tables": tables}}})
    with pytest.raises(Unavailable):
        await excerpt(resolvers, cell("pg_doc", 1, table="visiting"))
    with psycopg.connect(postgres) as connection:
        assert connection.execute("SELECT count(*) FROM visits").fetchone() == (0,)
