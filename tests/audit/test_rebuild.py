"""Replay into an empty database: the log alone leads to the same graph (spec 08).

Goal: zero differences after any history, loads and governance included. Method: a second Neo4j of the tests' own, emptied
before each rebuild; random histories over HTTP on a real service, loads by the loader. The demo and the PEPs take longer.
"""

import asyncio
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphsvc.cli.load import load_files
from graphsvc.graph import Graph
from graphsvc.service.rebuild import rebuild
from graphsvc.service.replay import ScopeReport
from graphsvc.settings import Settings
from tests.audit.test_audit import NAMES, STEP, TEXTS, carry_out
from tests.claims.conftest import MakeHuman
from tests.conftest import Database, World
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess
from tests.memory_sources.support import write_tree
from tests.memory_sources.test_graph_side import Desk, desk  # noqa: F401 - a fixture

Rebuilt = Callable[[list[str]], list[ScopeReport]]
Load = Callable[[Path, str, str | None], None]
SEEDS = Path(__file__).resolve().parents[2] / "seeds"


@pytest.fixture(scope="module")
def spare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A Neo4j with nothing in it that matters."""
    server = Neo4jProcess(tmp_path_factory.mktemp("spare")).start()
    yield Database(server.bolt_url, server.user, server.password, "spare")
    server.stop()


def empty(spare: Database) -> None:
    """Take everything out of it."""
    cypher(spare, "MATCH (n) DETACH DELETE n")


NAMED_ZONES = """
CALL () { MATCH (n) RETURN n AS thing UNION ALL MATCH ()-[r]->() RETURN r AS thing }
UNWIND keys(thing) AS key
WITH key, thing[key] AS value
WHERE value IS :: ZONED DATETIME AND toString(value) ENDS WITH ']'
RETURN DISTINCT key
"""


@pytest.fixture(scope="module")
def rebuilt(service: ServiceProcess, database: Database, spare: Database) -> Rebuilt:
    """`rebuilt(scopes)`: what a rebuild of them in an empty database finds."""

    def run(scopes: list[str]) -> list[ScopeReport]:
        empty(spare)

        async def work() -> list[ScopeReport]:
            graph = Graph.connect(database.bolt_url, database.user, database.password)
            target = Graph.connect(spare.bolt_url, spare.user, spare.password)
            try:
                return await rebuild(graph, target, Settings(home=service.home), scopes)
            finally:
                await graph.close()
                await target.close()

        reports = asyncio.run(work())
        assert cypher(spare, NAMED_ZONES) == [], "instants are stored otherwise than where they came from"
        return reports

    return run


@pytest.fixture
def load(service: ServiceProcess, database: Database, monkeypatch: pytest.MonkeyPatch) -> Load:
    """`load(path, format, scope)`: as `graphsvc load` does it."""
    for name, value in environment(service, database).items():
        monkeypatch.setenv(name, value)

    def run(path: Path, file_format: str, scope: str | None) -> None:
        reports = asyncio.run(load_files([path], file_format, scope, again=True, quiet=True))
        assert [report.problems for _, report, _ in reports] == [[]]

    return run


def environment(service: ServiceProcess, database: Database) -> dict[str, str]:
    """What the command line needs to reach the database of this run."""
    return {
        "GRAPHSVC_HOME": str(service.home),
        "GRAPHSVC_NEO4J_URI": database.bolt_url,
        "GRAPHSVC_NEO4J_USER": database.user,
        "GRAPHSVC_NEO4J_PASSWORD": database.password,
    }


MORE = st.one_of(
    STEP,
    st.tuples(st.just("fact"), NAMES, TEXTS),
    st.tuples(
        st.just("govern"),
        st.sampled_from(["supersede", "contradict", "invalidate", "revalidate"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    st.tuples(st.just("refuse"), st.integers(0, 3)),
    st.tuples(st.just("approved"), st.integers(0, 3)),
    # The file has a relation between the two, which must not be one thing to itself.
    st.tuples(st.just("load"), NAMES, TEXTS, NAMES).filter(lambda step: step[1].lower() != step[3].lower()),
)


class Histories:
    """Carries out steps in scope `a`, some of them by a person and by the loader."""

    def __init__(self, world: World, human: MakeHuman, load: Load, folder: Path) -> None:
        self.scope = world.scope("a")
        self.agent = world.agent(a="read,write,govern")
        self.person = human(a="read,approve")
        self.load, self.folder = load, folder
        self.ids: list[str] = []
        self.facts: list[str] = []
        self.numbers = itertools.count()
        world.operator.call("set_policy", scope=self.scope, multi_evidence=True)

    def step(self, step: tuple[Any, ...], number: int) -> None:
        """One step; a refusal is as good a step as any."""
        match step:
            case ("fact", name, text):
                self.fact(name, text)
            case ("govern", action, one, other) if self.facts:
                self.govern(action, self.facts[one % len(self.facts)], self.facts[other % len(self.facts)])
            case ("refuse", which) if self.ids:
                self.agent.post("reject_claim", {"claim": self.ids[which % len(self.ids)], "reason": "no"})
            case ("approved", which) if self.ids:
                self.approve(self.ids[which % len(self.ids)])
            case ("load", name, text, other):
                records = [
                    {"record": "entity", "name": name, "kind": "tree", "observations": [text]},
                    {"record": "entity", "name": other, "aliases": [f"{other} tree"]},
                    {"record": "relation", "from": name, "type": "near", "to": other},
                ]
                path = self.folder / f"{next(self.numbers)}.jsonl"
                path.write_text("".join(json.dumps(record) + "\n" for record in records))
                self.load(path, "jsonl", self.scope)
            case ("govern" | "refuse" | "approved", *_):
                pass
            case _:
                carry_out(self.agent, step, number, self.ids)

    def fact(self, name: str, text: str) -> None:
        """A claim on three observations of three sessions, promoted."""
        refs = []
        for i in range(3):
            made = self.agent.call(
                "create_entities",
                entities=[{"name": name, "observations": [f"{text} {i}"]}],
                provenance={"session_id": f"f{i}"},
            )
            refs.append(made["results"][0]["observations"][0]["id"])
        claim = {"subject": name, "predicate": "is", "object": text, "confidence": 0.9,
                 "evidence": [{"kind": "observation", "ref": ref} for ref in refs]}  # fmt: skip
        claim_id = self.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        answer = self.agent.post("promote_candidate", {"claim": claim_id, "mode": "multi_evidence"})
        if answer.status_code == 200:
            self.facts.append(answer.json()["fact"])

    def govern(self, action: str, fact: str, other: str) -> None:
        """Govern a fact, with another one where the action takes one."""
        more = {"supersede": {"by": other}, "contradict": {"with": other}}.get(action, {})
        self.agent.post("govern_fact", {"fact": fact, "action": action, "rationale": "as it is", **more})

    def approve(self, claim_id: str) -> None:
        """A person approves a claim that has evidence, and it is promoted."""
        claims = self.agent.call("list_claims", limit=500, budget={"limit": 200_000})["claims"]
        for claim in claims:
            if claim["id"] == claim_id:
                approve = {"claim": claim_id, "statement_sha256": claim["statement_sha256"]}
                self.person.post("approve", approve)
                self.agent.post("promote_candidate", {"claim": claim_id, "mode": "human_confirmed"})


def run_histories(made: Histories, rebuilt: Rebuilt, histories: int, *, each: int) -> None:
    """Random histories one after another, with a rebuild after every so many."""
    done = itertools.count(1)
    reports: list[ScopeReport] = []

    @settings(max_examples=histories, suppress_health_check=list(HealthCheck))
    @given(st.lists(MORE, min_size=3, max_size=10))
    def try_history(history: list[tuple[Any, ...]]) -> None:
        for number, step in enumerate(history):
            made.step(step, number)
        if next(done) % each == 0:
            reports.extend(rebuilt([made.scope]))
            assert reports[-1].problems == []

    try_history()
    assert len(reports) >= histories // each
    assert reports[-1].things > 10


@pytest.mark.long
def test_random_histories_are_rebuilt_without_a_difference(
    world: World, human: MakeHuman, load: Load, rebuilt: Rebuilt, tmp_path: Path
) -> None:
    run_histories(Histories(world, human, load, tmp_path), rebuilt, 20, each=5)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_200_random_histories_are_rebuilt_without_a_difference(
    world: World, human: MakeHuman, load: Load, rebuilt: Rebuilt, tmp_path: Path
) -> None:
    run_histories(Histories(world, human, load, tmp_path), rebuilt, 200, each=1)


def test_everything_that_governs_is_rebuilt(
    world: World, human: MakeHuman, load: Load, rebuilt: Rebuilt, spare: Database, tmp_path: Path
) -> None:
    made = Histories(world, human, load, tmp_path)
    for name, text in (("Elm", "tall"), ("Elm", "small"), ("Fir", "old"), ("Fir", "young")):
        made.fact(name, text)
    made.govern("supersede", made.facts[0], made.facts[1])
    made.govern("contradict", made.facts[2], made.facts[3])
    claim = {"subject": "Elm", "predicate": "is", "object": {"literal": "ours"}, "confidence": 0.5,
             "evidence": [{"kind": "text", "ref": "letter 7", "excerpt": "it is ours"}]}  # fmt: skip
    about = {**claim, "predicate": "stands by", "object": {"id": made.agent.call("open_nodes", names=["Fir"])["entities"][0]["entity"]["id"]}}  # fmt: skip
    claims = [r["id"] for r in made.agent.call("propose_claims", claims=[claim, about])["results"]]
    made.approve(claims[1])
    made.agent.call("reject_claim", claim=claims[0], reason="no")
    [report] = rebuilt([made.scope])
    assert report.problems == []
    counted = cypher(
        spare,
        "MATCH (f:Fact {scope: $scope}) "
        "RETURN count(f) AS facts, sum(count { (f)<-[:SUPERSEDES]-() }) AS superseded, sum(count { (f)-[:CONTRADICTS]->() }) AS contradicted, "
        "sum(count { (f)-[:OBJECT]->() }) AS objects, "
        "sum(count { (f)<-[:DECIDED]-()-[:STANDS_ON]->()<-[:GAVE]-() }) AS approved",
        scope=made.scope,
    )[0]
    assert counted == {"facts": 5, "superseded": 1, "contradicted": 2, "objects": 1, "approved": 1}


def test_documents_candidates_and_their_links_are_rebuilt(
    world: World,
    desk: Desk,  # noqa: F811 - a fixture
    rebuilt: Rebuilt,
    database: Database,
    spare: Database,
) -> None:
    paths = {"schema": "source_ref/v1", "resolver": "fs", "ref": {"path": "kiln/dry.md"}}
    desk.agent.call(
        "create_entities",
        entities=[
            {"name": "Kiln", "aliases": ["kiln-7"], "observations": [{"text": "dries", "source_ref": paths}]}
        ],
    )
    page = "# Kiln\n\nIt dries 40 boards.\n" * 200
    kept = desk.agent.call("put_document", title="Kiln", text=page)["id"]
    notes = desk.repository / ".agent-memory"
    write_tree(notes, {"fan.md": "Ask kiln-7 for a new fan.", "page.md": "See [it](kiln/dry.md).", "odd.md": "password: hunter22"})  # fmt: skip
    desk.write()
    write_tree(notes, {"fan.md": "Tell kiln-7 that the fan is there."})
    (notes / "page.md").unlink()
    desk.write()
    [report] = rebuilt([desk.scope])
    assert report.problems == []
    look = (
        "MATCH (d:Document {id: $id})-[:HAS_CHUNK]->(c) WITH d, c ORDER BY c.position "
        "WITH d.scope AS scope, collect(c.text) AS texts "
        "RETURN reduce(t = '', text IN texts | t + text) AS text, "
        "COUNT { (:Candidate {scope: scope}) } AS candidates, "
        "COUNT { (:Candidate {scope: scope})-[:SUPPORTS]->(:Entity) } AS links, "
        "COUNT { (:Observation {scope: scope, source_path: 'kiln/dry.md'}) } AS cited"
    )
    [found] = cypher(spare, look, id=kept)
    assert found == cypher(database, look, id=kept)[0]
    assert (found["text"], found["cited"]) == (page, 1)
    assert min(found["candidates"], found["links"]) > 1
    tamper = "MATCH (:Document {id: $id})-[:HAS_CHUNK]->(c) WITH c LIMIT 1 SET c.text = replace(c.text, '40', '90')"
    cypher(database, tamper, id=kept)
    assert {problem["id"] for problem in rebuilt([desk.scope])[0].problems} == {kept}


def test_merges_are_rebuilt_those_that_were_taken_back_too(
    world: World, rebuilt: Rebuilt, database: Database, spare: Database
) -> None:
    agent = world.agent(a="read,write,govern")
    agent.call(
        "create_entities",
        entities=[{"name": name, "observations": [f"{name} grows"]} for name in ("Elm", "Fir", "Oak")],
    )
    agent.call("merge_entities", source="Elm", target="Fir")
    agent.call("unmerge_entities", source="Elm")
    agent.call("merge_entities", source="Elm", target="Oak")
    agent.call("merge_entities", source="Oak", target="Fir")
    [report] = rebuilt([world.scope("a")])
    assert report.problems == []
    edges = (
        "MATCH (a:Entity {scope: $scope})-[m:MERGED_INTO]->(b) RETURN a.name AS source, b.name AS target, m.key AS key, "
        "m.revision AS revision, m.scope AS scope, m.updated_by AS updated_by, toString(m.created_at) AS created_at, "
        "toString(m.updated_at) AS updated_at, toString(m.retired_at) AS retired_at ORDER BY key"
    )
    found = cypher(spare, edges, scope=world.scope("a"))
    assert found == cypher(database, edges, scope=world.scope("a"))
    assert sorted((row["source"], row["target"], row["retired_at"] is None) for row in found) == [
        ("Elm", "Fir", False),
        ("Elm", "Oak", True),
        ("Oak", "Fir", True),
    ]
    broken = "MATCH (:Entity {scope: $scope, name: 'Oak'})-[m:MERGED_INTO]->() DELETE m"
    cypher(database, broken, scope=world.scope("a"))
    assert "edges or derived properties do not fit the content" in str(
        rebuilt([world.scope("a")])[0].problems
    )


def test_what_differs_is_named(world: World, rebuilt: Rebuilt, database: Database) -> None:
    scope = world.scope("a")
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": "Elm", "observations": ["tall"], "aliases": ["Ulmus"]}])
    assert rebuilt([scope])[0].problems == []
    tamper = "MATCH (o:Observation {scope: $scope}) SET o.text = 'small' RETURN o.id AS id"
    changed = cypher(database, tamper, scope=scope)[0]["id"]
    where = {"kind": "observation", "id": changed}
    assert rebuilt([scope])[0].problems == [
        {"problem": "other content", **where},
        {"problem": "in the rebuilt graph: other content", **where},
    ]


def test_the_scopes_that_things_hang_on_are_rebuilt_too(world: World, rebuilt: Rebuilt) -> None:
    both = world.agent(a="read,write", b="read,write")
    both.call("create_entities", scope=world.scope("b"), entities=[{"name": "Elm"}, {"name": "Fir"}])
    both.call("add_observations", items=[{"entity": "Elm", "contents": ["tall"]}])
    both.call("create_relations", relations=[{"from": "Elm", "type": "near", "to": "Fir"}])
    made = both.call("create_tasks", tasks=[{"title": "water it"}])["results"][0]["id"]
    both.call("link_task_entity", task=made, entity="Elm")
    [report] = rebuilt([world.scope("a")])
    assert (report.problems, report.things) == ([], 4)


def replay_command(
    service: ServiceProcess, database: Database, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run `graphsvc audit replay`."""
    return subprocess.run(
        [sys.executable, "-m", "graphsvc", "audit", "replay", *arguments],
        env=os.environ | environment(service, database),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_command_rebuilds_in_the_database_it_is_given(
    world: World, service: ServiceProcess, database: Database, spare: Database, tmp_path: Path
) -> None:
    world.agent(a="read,write").call("create_entities", entities=[{"name": "Elm"}])
    password = tmp_path / "password"
    password.write_text(spare.password)
    into = ("--scope", world.scope("a"), "--into", spare.bolt_url, "--into-password-file", str(password))
    empty(spare)
    done = replay_command(service, database, *into, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["problems"], report["scopes"][0]["things"]) == (0, 1)
    # What it left there is something: it is no empty database any more.
    again = replay_command(service, database, *into)
    assert (again.returncode, again.stdout) == (2, "")
    assert "not empty" in again.stderr


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_command_rebuilds_in_a_database_of_its_own(
    world: World, service: ServiceProcess, database: Database
) -> None:
    world.agent(a="read,write").call("create_entities", entities=[{"name": "Elm"}])
    done = replay_command(service, database, "--scope", world.scope("a"), "--into", "temporary")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("differences: none\n")


def loaded(caller: Caller, scope: str) -> int:
    """How many entities a scope has."""
    return int(caller.call("read_graph", scopes=[scope], limit=1)["totals"]["entities"])


def test_the_demo_is_rebuilt_without_a_difference(
    world: World, load: Load, rebuilt: Rebuilt, tmp_path: Path
) -> None:
    text = (SEEDS / "demo.jsonl").read_text("utf-8")
    scopes = {
        "project:atlas": world.scope("a"),
        "project:borealis": world.scope("b"),
        "shared": world.scope("c"),
    }
    for old, new in scopes.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    path = tmp_path / "demo.jsonl"
    made = "".join(json.dumps({"record": "scope", "id": scope}) + "\n" for scope in scopes.values())
    path.write_text(made + text, "utf-8")
    load(path, "jsonl", None)
    reports = rebuilt(sorted(scopes.values()))
    assert [report.problems for report in reports] == [[], [], []]
    assert sum(report.things for report in reports) > 100
    assert loaded(world.operator, scopes["project:atlas"]) > 0


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_peps_are_rebuilt_without_a_difference(
    world: World, load: Load, rebuilt: Rebuilt, shared_data: Path
) -> None:
    load(shared_data / "peps.jsonl", "peps", None)
    [report] = rebuilt(["project:peps"])
    assert (report.problems, report.things > 5_000) == ([], True)
    assert loaded(world.operator, "project:peps") > 500
