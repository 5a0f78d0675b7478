"""Goal: an exported graph, imported into an empty database and exported again, is the same bytes (spec 10).

Method: the collection of PEPs, and random histories of every kind of write over HTTP on a real service, each on a real
Neo4j of their own; damaged files; imports that are cut off.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j.time import Date, DateTime

from graphsvc.cli.load import load_files
from graphsvc.domain.graph_lines import Edge, Node, edge_line, node_line, parse_line
from graphsvc.seeding.generate import GraphOptions, write_graph
from graphsvc.service.importing import ImportRefused, import_graph
from graphsvc.service.replay import replay, verify
from graphsvc.settings import Settings
from tests.audit.test_audit import STEP, carry_out
from tests.care.conftest import Empty, bring, export, on, service_on
from tests.conftest import Database
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home whose key seals the log."""
    return tmp_path_factory.mktemp("home")


def exported(database: Database, home: Path, source: Path, file_format: str) -> Path:
    """The export of a graph that holds this file."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "HOME": str(home),
            "NEO4J_URI": database.bolt_url,
            "NEO4J_USER": database.user,
            "NEO4J_PASSWORD": database.password,
        }.items():
            environment.setenv(f"GRAPHSVC_{name}", value)
        asyncio.run(load_files([source], file_format, None, quiet=True))
    file = home / f"{source.stem}.ndjson"
    report = export(database, home, file)
    assert min(report.nodes, report.edges) > 2_000
    return file


@pytest.fixture(scope="module")
def generated(empty: Empty, home: Path) -> Path:
    """The export of a generated graph."""
    source = home / "generated.jsonl"
    write_graph(GraphOptions(entities=400, seed=7, scopes=3), source)
    return exported(empty(), home, source, "jsonl")


@pytest.mark.long
def test_the_peps_come_back_as_the_same_bytes(
    shared_data: Path, home: Path, empty: Empty, tmp_path: Path
) -> None:
    peps = exported(empty(), home, shared_data / "peps.jsonl", "peps")
    comes_back(peps, home, empty(), tmp_path)


def test_a_generated_graph_comes_back_as_the_same_bytes(
    generated: Path, home: Path, empty: Empty, tmp_path: Path
) -> None:
    comes_back(generated, home, empty(), tmp_path)


def comes_back(file: Path, home: Path, target: Database, tmp_path: Path) -> None:
    """The file, imported into an empty database and exported again, is itself."""
    assert not bring(target, home, file).resumed
    again = tmp_path / "again.ndjson"
    export(target, home, again)
    assert again.read_bytes() == file.read_bytes()
    # Times keep their zone as the database tells it, which the lines alone would not show.
    zones = cypher(target, "MATCH (e:Entity) RETURN collect(DISTINCT e.created_at.timezone) AS zones")
    assert zones == [{"zones": ["Z"]}]
    with pytest.raises(ImportRefused, match="not empty"):
        bring(target, home, file)
    # An export lets nobody in.
    assert b'"Token"' not in file.read_bytes()
    assert b'"operator"' in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600


def test_random_histories_come_back_as_the_same_bytes_and_the_service_goes_on(
    empty: Empty, home: Path, tmp_path: Path
) -> None:
    database = empty()
    service = service_on(database, home).start()
    caller = Caller(service.base_url, service.token())
    caller.call("create_scopes", scopes=[{"id": "project:h"}])
    ids: list[str] = []
    files = [tmp_path / name for name in ("backup", "first", "second", "third")]

    @settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(STEP, min_size=10, max_size=20))
    def try_history(history: list[tuple[Any, ...]]) -> None:
        for number, step in enumerate(history):
            carry_out(caller, step, number, ids)
        for file, credentials in zip(files[:2], (True, False), strict=True):
            file.unlink(missing_ok=True)
            export(database, home, file, credentials=credentials)
        assert service.token().encode() not in files[0].read_bytes()
        # The file without credentials gives itself, and the backup gives it too.
        empty()
        bring(database, home, files[1])
        export(database, home, files[2])
        assert files[2].read_bytes() == files[1].read_bytes()
        empty()
        assert bring(database, home, files[0]).credentials
        export(database, home, files[3])
        assert files[3].read_bytes() == files[1].read_bytes()
        for check in (verify, replay):
            for found in on(database, lambda graph, check=check: check(graph, Settings(home=home))):
                assert found.problems == []
        # Tokens of the backup work: the next history is written on the restored graph.
        assert caller.call("whoami")["principal"] == "operator"

    try:
        try_history()
    finally:
        caller.close()
        service.stop()


DAMAGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int, str]] = {
    "no header": (lambda lines: lines[1:], 1, "not an exported graph"),
    "cut short": (lambda lines: lines[:-1], 0, "cut short"),
    "not JSON": (lambda lines: [*lines[:5], b"{\n", *lines[6:]], 6, "not JSON"),
    "a line is gone": (lambda lines: [*lines[:5], *lines[6:]], 0, "not those that were exported"),
    "a line is there twice": (lambda lines: [*lines[:5], lines[4], *lines[5:]], 6, "there twice"),
    "another newer format": (
        lambda lines: [lines[0].replace(b'"version":1', b'"version":99'), *lines[1:]],
        1,
        "version 99",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_by_line_and_writes_nothing(
    damage: str, generated: Path, home: Path, empty: Empty, tmp_path: Path
) -> None:
    spoil, line, reason = DAMAGES[damage]
    file = tmp_path / "damaged.ndjson"
    file.write_bytes(b"".join(spoil(generated.read_bytes().splitlines(keepends=True))))
    target = empty()
    with pytest.raises(ImportRefused) as refused:
        bring(target, home, file)
    assert any(
        reason in problem.reason and (not line or problem.path == f"{file}:{line}")
        for problem in refused.value.problems
    ), refused.value.problems
    assert cypher(target, "MATCH (n:Entity) RETURN count(n) AS n") == [{"n": 0}]


def test_an_import_that_was_cut_off_goes_on(
    generated: Path, home: Path, empty: Empty, tmp_path: Path
) -> None:
    target = empty()

    class Enough(Exception):
        pass

    def stop_at(lines_max: int) -> Callable[[int], None]:
        seen = 0

        def on_progress(count: int) -> None:
            nonlocal seen
            seen += count
            if seen > lines_max:
                raise Enough

        return on_progress

    lines = len(generated.read_bytes().splitlines())
    for cut in (lines + lines // 5, lines + lines // 2, lines + lines * 3 // 5):
        with pytest.raises(Enough):
            on(
                target,
                lambda graph, cut=cut: import_graph(
                    graph, Settings(home=home), generated, on_progress=stop_at(cut)
                ),
            )
    assert bring(target, home, generated).resumed
    again = tmp_path / "again.ndjson"
    export(target, home, again)
    assert again.read_bytes() == generated.read_bytes()


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALAR = st.one_of(
    TEXT,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.dates().map(lambda d: Date(d.year, d.month, d.day)),
    st.datetimes(timezones=st.timezones()).map(
        lambda at: (
            DateTime.from_iso_format(at.isoformat(timespec="microseconds"))
            if at.utcoffset().total_seconds() % 60 == 0  # type: ignore[union-attr]
            else "odd"
        )
    ),
)
PROPERTIES = st.dictionaries(TEXT, st.one_of(SCALAR, st.lists(SCALAR, max_size=3)), max_size=5)


@given(PROPERTIES)
def test_a_line_is_read_as_what_was_written(properties: dict[str, Any]) -> None:
    properties["id"] = "ent_1"
    node = node_line("ent_1", ["Retired", "Entity"], properties)
    read = parse_line(node)
    assert read == Node("ent_1", ["Entity", "Retired"], properties)
    assert node_line("ent_1", ["Entity", "Retired"], read.properties) == node
    place, edge = edge_line("NAMES", ["Alias", "s", "k"], "ent_1", properties)
    assert parse_line(edge) == Edge("NAMES", ["Alias", "s", "k"], "ent_1", properties)
    assert orjson.loads(place) == ["NAMES", ["Alias", "s", "k"], "ent_1", "ent_1"]
