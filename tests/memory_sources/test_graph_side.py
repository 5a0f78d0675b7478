"""What `graphsvc ingest` keeps in the graph: candidates and exact links, visible to analysts, never facts (spec 06).

Method: the command over repositories of the test, on the Neo4j and the home of a real service; the graph
is looked at with Cypher as an analyst would, and over HTTP as an agent.
"""

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from graphsvc.service.replay import replay
from tests.audit.test_audit import Audit, audited  # noqa: F401 - a fixture
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess
from tests.memory_sources.support import write_tree
from tests.memory_sources.test_ingest_command import APP, REAL_RULES

ON = "[memory]\nknowledge_entities = true\n"
NODES = """
MATCH (c:Candidate {scope: $scope})
RETURN c{.*, created_at: toString(c.created_at), updated_at: toString(c.updated_at), last_seen_at: null,
         retired_at: toString(c.retired_at), locked: null} AS candidate, labels(c) AS labels
ORDER BY c.path, c.id
"""
EDGES = """
MATCH (c:Candidate {scope: $scope})-[s:SUPPORTS]->(e:Entity)
RETURN c.path AS path, e.name AS name, s.kind AS kind, s.value AS value, s.raw_path AS raw_path,
       s.fact_sha256 = c.fact_sha256 AS fits, s.retired_at IS NULL AS live, s.scope AS scope, s.revision AS revision,
       s.id AS id
ORDER BY path, name, value
"""


@dataclass
class Desk:
    """A repository, a scope, and the command over both."""

    repository: Path
    scope: str
    agent: Caller
    environment: dict[str, str | None]
    query: Callable[[str], list[dict[str, Any]]]

    def ingest(self, *arguments: str) -> Result:
        """Run the command in the repository, as the operator of the service's home."""
        with contextlib.chdir(self.repository):
            return CliRunner().invoke(APP, ["--scope", self.scope, *arguments], env=self.environment)

    def write(self, *arguments: str) -> str:
        """What `--write` says that it kept."""
        done = self.ingest("--write", *arguments)
        assert done.exit_code == 0, done.stderr
        return done.stderr.strip().splitlines()[-1].removeprefix("in the graph: ")

    def live(self) -> list[tuple[str, str, str, str]]:
        """The live links as (path, entity, kind, value)."""
        return [
            (row["path"].removeprefix(".agent-memory/"), row["name"], row["kind"], row["value"])
            for row in self.query(EDGES)
            if row["live"]
        ]


@pytest.fixture
def desk(world: World, service: ServiceProcess, database: Database, tmp_path: Path) -> Desk:
    """See Desk. The command runs as the operator of the service's home, who sees every scope."""
    environment = {
        "GRAPHSVC_HOME": str(service.home),
        "GRAPHSVC_NEO4J_URI": database.bolt_url,
        "GRAPHSVC_NEO4J_USER": database.user,
        "GRAPHSVC_NEO4J_PASSWORD": database.password,
    }
    agent = world.agent(a="read,write")
    repository = tmp_path / "handbook"
    repository.mkdir()
    (repository / "graphsvc.toml").write_text(ON)

    def query(text: str) -> list[dict[str, Any]]:
        return cypher(database, text, scope=world.scope("a"))

    return Desk(repository, world.scope("a"), agent, environment, query)


def know(desk: Desk) -> dict[str, str]:
    """Entities with something to be known by; ids by name."""
    made = desk.agent.call(
        "create_entities",
        entities=[
            {"name": "Acme Print", "aliases": ["Acme", "Both"], "external_ids": ["crm:17"]},
            {"name": "Paul Pack", "aliases": ["PP", "Both"]},
            {"name": "Handbook", "observations": [
                {"text": "We keep a page on suppliers", "source_ref": {
                    "schema": "source_ref/v1", "resolver": "fs_git",
                    "ref": {"repo": "handbook", "path": "docs/suppliers.md"}}}]},
        ],
    )["results"]  # fmt: skip
    return {result["name"]: result["id"] for result in made}


def test_links_are_edges_by_exact_evidence_alone(desk: Desk, world: World) -> None:
    ids = know(desk)
    world.agent(b="read,write").call(
        "create_entities", entities=[{"name": "Elsewhere", "aliases": ["Beyond"]}]
    )
    write_tree(
        desk.repository / ".agent-memory",
        {
            "alias.md": "Ask Acme, or PP.",
            "path.md": "See [the page](docs/suppliers.md) first.",
            "id.md": f"Known as {ids['Paul Pack']} and as crm:17 here.",
            "reference.md": "---\nreferences: [PP]\n---\nNothing in the words.",
            "name.md": "Paul Pack and acme and ACME and Both and Beyond.",
            "discarded.md": "---\ndiscard: true\n---\nAcme again.",
            "unsafe.md": "Acme has password: hunter22",
        },
    )
    report = json.loads(desk.ingest("--json").stdout)
    assert report["coverage"][0]["status"] == "complete"
    assert desk.query(NODES) == [], "without --write nothing is kept"
    assert desk.write() == "7 candidates created, 6 links created"
    assert sorted(desk.live()) == [
        ("alias.md", "Acme Print", "alias", "Acme"),
        ("alias.md", "Paul Pack", "alias", "PP"),
        ("id.md", "Acme Print", "id", "crm:17"),
        ("id.md", "Paul Pack", "id", ids["Paul Pack"]),
        ("path.md", "Handbook", "path", "docs/suppliers.md"),
        ("reference.md", "Paul Pack", "alias", "PP"),
    ]
    told = [(link["evidence"]["raw_path"].removeprefix(".agent-memory/"), link["evidence"]["kind"],
             link["evidence"]["value"]) for link in report["memory_relations"]]  # fmt: skip
    assert sorted(told) == sorted((path, kind, value) for path, _, kind, value in desk.live())
    edges = desk.query(EDGES)
    assert all(row["fits"] and row["scope"] == desk.scope and row["revision"] == 1 for row in edges)
    nodes = {row["candidate"]["path"]: row["candidate"] for row in desk.query(NODES)}
    unsafe = nodes[".agent-memory/unsafe.md"]
    assert unsafe["status"] == "unsafe"
    assert json.loads(unsafe["findings"]) == [{"kind": "password", "line": 1}]
    assert "hunter22" not in str(nodes)
    assert not {"fact", "fact_sha256", "content_sha256"} & unsafe.keys()
    assert nodes[".agent-memory/discarded.md"]["status"] == "discarded"
    assert nodes[".agent-memory/alias.md"]["confidence"] == 0.7


def test_twice_is_once_and_the_report_is_the_same_with_and_without(desk: Desk) -> None:
    know(desk)
    write_tree(desk.repository / ".agent-memory", {"a.md": "Ask Acme.", "b/a.md": "Ask PP."})
    plain = desk.ingest("--json").stdout
    first = desk.ingest("--json", "--write")
    assert first.stdout == plain
    before = desk.query(NODES), desk.query(EDGES)
    assert desk.write() == "2 candidates existing, 2 links existing"
    assert (desk.query(NODES), desk.query(EDGES)) == before
    assert [row["revision"] for row in before[1]] == [1, 1]


def test_what_changed_is_stale_until_it_is_written_again(desk: Desk) -> None:
    know(desk)
    notes = desk.repository / ".agent-memory"
    write_tree(notes, {"a.md": "Ask Acme.", "b.md": "Ask PP.", "c.md": "Acme, PP.", "d.md": "PP it is."})
    desk.write()
    fresh = desk.ingest("--check")
    assert (fresh.exit_code, fresh.stdout) == (0, "5 links checked, 0 stale\n")
    (notes / "a.md").write_text("Ask Acme first.")
    (notes / "b.md").unlink()
    (notes / "d.md").write_text("---\nstatus: discarded\n---\nPP it is.")
    desk.agent.call("remove_aliases", items=[{"entity": "Acme Print", "aliases": ["Acme"]}])
    stale = desk.ingest("--check", "--json")
    found = json.loads(stale.stdout)
    assert (stale.exit_code, found["checked"], found["owners_checked"]) == (1, 5, True)
    assert sorted((link["evidence"]["raw_path"].removeprefix(".agent-memory/"), link["reason"])
                  for link in found["stale"]) == [
        ("a.md", "fact_changed"), ("b.md", "path_gone"), ("c.md", "owner_changed"), ("d.md", "not_eligible"),
    ]  # fmt: skip
    told = desk.write()
    assert told == (
        "1 candidates created, 1 candidates existing, 2 candidates retired, 1 candidates updated, "
        "1 links existing, 4 links retired"
    )
    assert desk.live() == [("c.md", "Paul Pack", "alias", "PP")]
    assert desk.ingest("--check").stdout == "1 links checked, 0 stale\n"
    (notes / "b.md").write_text("Ask PP.")
    assert "1 candidates revived" in desk.write()
    assert ("b.md", "Paul Pack", "alias", "PP") in desk.live()


def test_values_that_nobody_can_own_are_no_obstacle(desk: Desk) -> None:
    know(desk)
    references = json.dumps(["PP", "x" * 60_000, "\ud800 alone", "é" * 700])
    (desk.repository / ".agent-memory").mkdir()
    (desk.repository / ".agent-memory" / "a.md").write_text(f"---\nreferences: {references}\n---\nWords.")
    assert desk.write() == "1 candidates created, 1 links created"
    assert desk.live() == [("a.md", "Paul Pack", "alias", "PP")]


def test_with_the_option_off_links_are_neither_made_nor_touched(desk: Desk) -> None:
    know(desk)
    write_tree(desk.repository / ".agent-memory", {"a.md": "Ask Acme."})
    (desk.repository / "graphsvc.toml").write_text("[memory]\n")
    off = desk.ingest("--json").stdout
    assert desk.write() == "1 candidates created"
    assert desk.query(EDGES) == []
    (desk.repository / "graphsvc.toml").write_text(ON)
    desk.write()
    (desk.repository / "graphsvc.toml").write_text("[memory]\nknowledge_entities = false\n")
    desk.agent.call("remove_aliases", items=[{"entity": "Acme Print", "aliases": ["Acme"]}])
    assert desk.write() == "1 candidates existing"
    assert len(desk.live()) == 1
    assert desk.ingest("--json").stdout == off, "the same bytes, whatever the graph holds"


def test_nothing_is_retired_that_was_not_read(desk: Desk, tmp_path: Path) -> None:
    know(desk)
    notes = desk.repository / ".agent-memory"
    write_tree(desk.repository, {".agent-memory/a.md": "Ask Acme.", ".cursor/rules/r.mdc": "Ask PP.",
                                 ".agent-memory/later-unread.md": "Read once."})  # fmt: skip
    desk.write()
    (notes / "later-unread.md").write_bytes(b"\xff")
    (desk.repository / "graphsvc.toml").write_text(f'{ON}adapters = ["playbook-memory"]\n')
    assert desk.write() == "1 candidates existing, 1 links existing"
    report = json.loads(desk.ingest("--json").stdout)
    assert report["coverage"][0]["status"] == "partial"
    other = write_tree(tmp_path / "other", {".agent-memory/a.md": "Ask Acme."})
    done = desk.ingest("--write", "--repo", str(other))
    assert "1 candidates created" in done.stderr, "another repository has candidates of its own"
    assert len(desk.query(NODES)) == 4
    assert len([row for row in desk.query(NODES) if "retired_at" in row["candidate"]
                and row["candidate"]["retired_at"]]) == 0  # fmt: skip


def test_captured_consults_neither_notes_nor_graph(desk: Desk) -> None:
    know(desk)
    write_tree(desk.repository / ".agent-memory", {"a.md": "Ask Acme."})
    report = json.loads(desk.ingest("--json", "--captured", "--write").stdout)
    assert report["coverage"][0]["status"] == "not-analyzed"
    assert "memory_relations" not in report
    assert desk.query(NODES) == []


def test_a_candidate_is_no_fact_and_only_a_person_takes_it_further(
    desk: Desk,
    world: World,
    audited: Audit,  # noqa: F811
) -> None:
    know(desk)
    write_tree(desk.repository / ".agent-memory", {"a.md": "Ask Acme about zorvexing."})
    desk.write()
    agent = desk.agent
    assert agent.call("search_nodes", query="zorvexing")["evidence"] == []
    assert agent.call("list_claims")["claims"] == []
    assert agent.call("list_facts")["facts"] == []
    draft = json.loads(desk.ingest("--draft").stdout)
    assert agent.call("list_claims")["claims"] == [], "a draft is only printed"
    proposed = agent.call("propose_claims", **draft)["results"]
    assert [result["outcome"] for result in proposed] == ["created"]
    changes = agent.call("list_changes", limit=500)["changes"]
    kinds = [change["target"]["kind"] for change in changes]
    assert kinds.count("candidate") == 1
    assert kinds.count("support") == 1
    node = desk.query(NODES)[0]["candidate"]["id"]
    chain = agent.call("get_provenance", id=node)["chain"]
    assert chain[0]["content"]["fact"] == "Ask Acme about zorvexing."
    stranger = world.agent(b="read,write")
    assert stranger.post("get_provenance", {"id": node}).status_code == 404
    assert stranger.call("retire", ids=[node])["retired"] == 0
    assert agent.call("retire", ids=[node])["retired"] == 1
    assert agent.call("revive", ids=[node])["revived"] == 1
    assert audited(replay).problems == []


@pytest.mark.parametrize("scope", ["project:not-there", "shared "])
def test_a_scope_that_is_not_there_is_refused(desk: Desk, scope: str) -> None:
    write_tree(desk.repository / ".agent-memory", {"a.md": "Ask Acme."})
    done = desk.ingest("--write", "--scope", scope)
    assert done.exit_code == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(REAL_RULES is None, reason="the real rules are not beside the checkout")
def test_the_real_rules_are_kept_once(desk: Desk) -> None:
    assert REAL_RULES is not None
    told = desk.ingest("--write", "--json", "--repo", str(REAL_RULES))
    report = json.loads(told.stdout)
    assert len(report["candidates"]) == 51
    before = desk.query(NODES)
    assert len(before) == 51
    again = desk.ingest("--write", "--json", "--repo", str(REAL_RULES))
    assert again.stdout == told.stdout
    assert "51 candidates existing" in again.stderr
    assert desk.query(NODES) == before
