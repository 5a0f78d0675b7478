"""Goal: an exported graph, imported into an empty database and exported again, is the same bytes (spec 10).

Method: the collection of PEPs and random histories of every kind of write over HTTP on a real service; a second real
Neo4j as the target; damaged files.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j.time import Date, DateTime

from graphsvc.cli.load import load_files
from graphsvc.domain.graph_lines import Edge, Node, edge_line, node_line, parse_line
from graphsvc.graph import Graph
from graphsvc.schema import apply_schema
from graphsvc.service.exporting import ExportReport, export_graph
from graphsvc.service.importing import ImportRefused, ImportReport, import_graph
from graphsvc.service.replay import replay, verify
from graphsvc.settings import Settings
from tests.audit.test_audit import STEP, carry_out
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import ServiceProcess

Empty = Callable[[], Database]


def on(database: Database, work: Callable[[Graph], Any]) -> Any:
    """Run something on a database, with the schema in place."""

    async def run() -> Any:
        graph = Graph.connect(database.bolt_url, database.user, database.password)
        try:
            await apply_schema(graph)
            return await work(graph)
        finally:
            await graph.close()

    return asyncio.run(run())


def export(database: Database, home: Path, file: Path, **options: Any) -> ExportReport:
    report: ExportReport = on(
        database, lambda graph: export_graph(graph, Settings(home=home), file, **options)
    )
    return report


def bring(database: Database, home: Path, file: Path) -> ImportReport:
    report: ImportReport = on(database, lambda graph: import_graph(graph, Settings(home=home), file))
    return report


@pytest.fixture(scope="module")
def peps(
    database: Database, service: ServiceProcess, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The PEPs are in the graph, and whatever else this run has put there; the export of that."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "HOME": str(service.home),
            "NEO4J_URI": database.bolt_url,
            "NEO4J_USER": database.user,
            "NEO4J_PASSWORD": database.password,
        }.items():
            environment.setenv(f"GRAPHSVC_{name}", value)
        asyncio.run(load_files([shared_data / "peps.jsonl"], "peps", None, quiet=True))
    file = tmp_path_factory.mktemp("export") / "peps.ndjson"
    report = export(database, service.home, file)
    assert report.nodes > 5_000
    return file


def test_the_peps_come_back_as_the_same_bytes(
    peps: Path, service: ServiceProcess, empty: Empty, tmp_path: Path
) -> None:
    target = empty()
    report = bring(target, service.home, peps)
    assert not report.resumed
    again = tmp_path / "again.ndjson"
    export(target, service.home, again)
    assert again.read_bytes() == peps.read_bytes()
    # Times keep their zone as the database tells it, which the lines alone would not show.
    zones = cypher(target, "MATCH (e:Entity) RETURN collect(DISTINCT e.created_at.timezone) AS zones")
    assert zones == [{"zones": ["Z"]}]


def test_random_histories_come_back_as_the_same_bytes(
    world: World, database: Database, service: ServiceProcess, empty: Empty, tmp_path: Path
) -> None:
    caller = world.agent(a="read,write,govern")
    ids: list[str] = []

    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEP, min_size=10, max_size=30))
    def try_history(history: list[tuple[Any, ...]]) -> None:
        for number, step in enumerate(history):
            carry_out(caller, step, number, ids)
        first, second = tmp_path / "first.ndjson", tmp_path / "second.ndjson"
        export(database, service.home, first)
        target = empty()
        bring(target, service.home, first)
        export(target, service.home, second)
        assert second.read_bytes() == first.read_bytes()
        scope = [world.scope("a")]
        home = Settings(home=service.home)
        for check in (verify, replay):
            (found,) = on(target, lambda graph, check=check: check(graph, home, scope))
            assert found.problems == []
            assert found.sealed > 0

    try_history()


def test_tokens_are_in_a_backup_only_and_work_after_it_is_restored(
    peps: Path, database: Database, service: ServiceProcess, empty: Empty, tmp_path: Path
) -> None:
    assert b'"Token"' not in peps.read_bytes()
    assert b'"operator"' in peps.read_bytes()
    file = tmp_path / "backup.ndjson"
    export(database, service.home, file, credentials=True)
    assert service.token().encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    target = empty()
    assert bring(target, service.home, file).credentials
    restored = ServiceProcess(service.home.parent / "restored", target.bolt_url, target.user, target.password)
    restored.start()
    try:
        import httpx  # noqa: PLC0415

        answer = httpx.post(
            f"{restored.base_url}/v1/whoami",
            json={},
            headers={"Authorization": f"Bearer {service.token()}"},
            timeout=30,
        )
    finally:
        restored.stop()
    assert answer.json()["principal"] == "operator"


def test_a_target_that_is_not_empty_is_refused(
    peps: Path, database: Database, service: ServiceProcess
) -> None:
    with pytest.raises(ImportRefused, match="not empty"):
        bring(database, service.home, peps)


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
    damage: str, peps: Path, service: ServiceProcess, empty: Empty, tmp_path: Path
) -> None:
    spoil, line, reason = DAMAGES[damage]
    file = tmp_path / "damaged.ndjson"
    file.write_bytes(b"".join(spoil(peps.read_bytes().splitlines(keepends=True))))
    target = empty()
    with pytest.raises(ImportRefused) as refused:
        bring(target, service.home, file)
    assert any(
        reason in problem.reason and (not line or problem.path == f"{file}:{line}")
        for problem in refused.value.problems
    ), refused.value.problems
    assert cypher(target, "MATCH (n:Entity) RETURN count(n) AS n") == [{"n": 0}]


def test_an_import_that_was_cut_off_goes_on(
    peps: Path, service: ServiceProcess, empty: Empty, tmp_path: Path
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

    lines = len(peps.read_bytes().splitlines())
    for cut in (lines + 4_000, lines + lines * 2 // 3, lines + lines * 9 // 10):
        with pytest.raises(Enough):
            on(
                target,
                lambda graph, cut=cut: import_graph(
                    graph, Settings(home=service.home), peps, on_progress=stop_at(cut)
                ),
            )
    assert bring(target, service.home, peps).resumed
    again = tmp_path / "again.ndjson"
    export(target, service.home, again)
    assert again.read_bytes() == peps.read_bytes()


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


@pytest.fixture(autouse=True)
def _no_gate_is_left_closed(database: Database) -> Iterator[None]:
    yield
    gate = "MATCH (g:WriteGate) RETURN g.closed_until IS NULL AS open"
    assert cypher(database, gate) in ([], [{"open": True}]), json.dumps("closed")
