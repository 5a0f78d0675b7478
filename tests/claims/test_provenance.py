"""Where things come from, as a walkable graph and as a chain; what is wrong in the memory (spec 08).

Method: a fact is made of what an agent read in a chunk of a source, in a session, with a tool; each link is followed
over HTTP by `get_provenance`, and in the database by the queries that an analyst runs.
"""

from pathlib import Path
from typing import Any

import pytest

from graphsvc.service.provenance import RETIRING
from tests.claims.conftest import MakeHuman
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller

BROWSER = Path(__file__).resolve().parents[2] / "cypher" / "browser"


class Told:
    """A fact with everything behind it, in scope `a`."""

    def __init__(self, world: World, human: MakeHuman) -> None:
        self.scope = world.scope("a")
        self.agent, self.person = world.agent(a="read,write,govern"), human(a="read,approve")
        world.operator.call("set_policy", scope=self.scope, sensitive=True)
        run = {"session_id": "walk-7", "tool": "field-notes", "chunk_ref": "notes.md#3"}
        made = self.agent.call(
            "create_entities",
            entities=[
                {"name": "Elm", "observations": [{"text": "The elm is tall", "source_ref": source_ref()}]}
            ],
            provenance=run | {"source_ref": source_ref()},
        )
        self.entity = made["results"][0]["id"]
        self.observation = made["results"][0]["observations"][0]["id"]
        evidence = [
            {"kind": "observation", "ref": self.observation, "excerpt": "The elm is tall", "weight": 1.0}
        ]
        claim = {
            "subject": "Elm",
            "predicate": "is",
            "object": "tall",
            "evidence": evidence,
            "confidence": 0.9,
        }
        self.claim = self.agent.call("propose_claims", claims=[claim], provenance=run)["results"][0]["id"]
        sha256 = self.agent.call("list_claims")["claims"][0]["statement_sha256"]
        self.approval = self.person.call("approve", claim=self.claim, statement_sha256=sha256)["approval"]
        promoted = self.agent.call(
            "promote_candidate", claim=self.claim, mode="human_confirmed", rationale="seen it"
        )
        self.fact, self.decision = promoted["fact"], promoted["decision"]
        # A later write says that it was made because of that decision.
        because = run | {"decision_id": self.decision}
        later = self.agent.call(
            "add_observations",
            items=[{"entity": "Elm", "contents": ["It shades the yard"]}],
            provenance=because,
        )
        self.later = later["results"][0]["observations"][0]["id"]


def source_ref() -> dict[str, Any]:
    """A source as spec 05 has it."""
    return {"schema": "source_ref/v1", "resolver": "url", "ref": {"url": "https://example.org/elm"}}


@pytest.fixture
def told(world: World, human: MakeHuman) -> Told:
    return Told(world, human)


def chain(caller: Caller, thing: str) -> dict[str, dict[str, Any]]:
    """The steps by id, in the order told."""
    answer = caller.call("get_provenance", id=thing)
    assert answer["id"] == thing
    assert answer["chain"][0]["id"] == thing
    return {step["id"]: step for step in answer["chain"]}


def test_the_chain_leads_from_a_fact_to_chunk_session_tool_and_source(told: Told) -> None:
    steps = chain(told.agent, told.fact)
    evidence = f"{told.claim}/0"
    assert {step["id"]: step["step"] for step in steps.values()} == {
        told.fact: "fact",
        told.decision: "decision",
        told.claim: "claim",
        told.approval: "approval",
        evidence: "evidence",
        told.observation: "observation",
    }
    # Every link is walkable: each step names what is behind it, and all of that is told further on.
    order = list(steps)
    for at, step in enumerate(steps.values()):
        assert all(order.index(behind) > at for behind in step["behind"])
    assert set(steps[told.fact]["behind"]) == {told.decision, told.claim}
    assert steps[told.decision]["behind"] == [told.approval]
    assert steps[told.claim]["behind"] == [evidence]
    assert steps[evidence]["behind"] == [told.observation]
    decision = steps[told.decision]["content"]
    assert (decision["action"], decision["verdict"], decision["rationale"]) == (
        "promote",
        "promoted",
        "seen it",
    )
    assert decision["policy_version"] == 1
    [made] = steps[told.observation]["transitions"]
    assert (made["session_id"], made["tool"], made["chunk_ref"]) == ("walk-7", "field-notes", "notes.md#3")
    assert made["source_ref"]["ref"]["url"] == "https://example.org/elm"
    assert steps[told.observation]["content"]["source_ref"]["resolver"] == "url"
    assert {change["op"] for change in steps[told.approval]["transitions"]} == {"create", "use"}


def test_a_chain_begins_anywhere_and_tells_of_the_decision_behind_a_change(told: Told) -> None:
    assert list(chain(told.agent, told.observation)) == [told.observation]
    assert next(iter(chain(told.agent, told.claim))) == told.claim
    steps = chain(told.agent, told.later)
    assert steps[told.later]["behind"] == [told.decision]
    assert list(steps) == [told.later, told.decision, told.approval]
    assert chain(told.agent, told.entity)[told.entity]["step"] == "entity"


def test_a_chain_stops_where_the_caller_sees_no_further(world: World, told: Told) -> None:
    stranger = world.agent(b="read")
    for thing in (told.fact, told.claim, told.decision, told.observation, f"{told.claim}/0"):
        foreign = stranger.post("get_provenance", {"id": thing})
        missing = stranger.post("get_provenance", {"id": thing[:-1] + ("0" if thing[-1] != "0" else "1")})
        assert foreign.status_code == missing.status_code == 404
        assert foreign.json()["type"] == missing.json()["type"]
    # A fact elsewhere that stands on an observation of `a`: who sees only the fact's scope is told no more.
    both = world.agent(b="read,write,govern", a="read")
    world.operator.call("set_policy", scope=world.scope("b"), multi_evidence=True)
    both.call("create_entities", scope=world.scope("b"), entities=[{"name": "Yard"}])
    claim = {"subject": "Yard", "predicate": "has", "object": "an elm", "scope": world.scope("b"),
             "evidence": [{"kind": "observation", "ref": told.observation}]}  # fmt: skip
    made = both.call("propose_claims", claims=[claim])["results"][0]["id"]
    assert told.observation in chain(both, made)
    assert told.observation not in chain(world.agent(b="read"), made)


def test_an_analyst_walks_from_the_fact_to_chunk_session_tool_and_source(
    told: Told, database: Database
) -> None:
    walked = cypher(
        database,
        "MATCH (f:Fact {id: $id})<-[:DECIDED]-(d:Decision)-[:STANDS_ON]->(a:Approval)<-[:GAVE]-(p:Principal) "
        "MATCH (f)-[:FROM_CLAIM]->(c:Claim)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(o:Observation) "
        "MATCH (t:Transition {target_id: o.id})-[:RECORDED_IN]->(s:Session) "
        "MATCH (t)-[:MADE_WITH]->(tool:Tool) MATCH (t)-[:FROM_CHUNK]->(chunk:ChunkRef) "
        "MATCH (t)-[:READ_FROM]->(source:Source) "
        "MATCH (later:Transition {target_id: $later})-[:BECAUSE_OF]->(d) "
        "RETURN d.id AS decision, a.id AS approval, p.kind AS kind, c.id AS claim, o.id AS observation, "
        "s.session_id AS session, tool.name AS tool, chunk.chunk_ref AS chunk, source.source_ref AS source",
        id=told.fact,
        later=told.later,
    )
    assert len(walked) == 1
    source = walked[0].pop("source")
    assert "example.org/elm" in source
    assert walked[0] == {
        "decision": told.decision,
        "approval": told.approval,
        "kind": "human",
        "claim": told.claim,
        "observation": told.observation,
        "session": "walk-7",
        "tool": "field-notes",
        "chunk": "notes.md#3",
    }


def test_the_analysts_query_shows_that_chain_as_a_graph(told: Told, database: Database) -> None:
    name = f"Elm of {told.scope}"
    told.agent.call("add_aliases", items=[{"entity": "Elm", "aliases": [name]}])
    text = (BROWSER / "provenance.cypher").read_text("utf-8")
    assert "// shows: graph" in text
    query = text.replace("'Acme Print'", f"'{name}'")
    assert query != text
    shown = str(cypher(database, query))
    nodes = (told.fact, told.decision, told.approval, told.claim, told.observation, told.later)
    for node in (*nodes, "walk-7", "field-notes", "notes.md#3", "example.org/elm"):
        assert node in shown, node


def test_audit_memory_reports_each_kind_of_problem_and_repairs_nothing(
    world: World, told: Told, database: Database
) -> None:
    def problems(caller: Caller) -> dict[str, list[str]]:
        return {p["problem"]: p["ids"] for p in caller.call("audit_memory")["problems"]}

    assert problems(told.agent) == {}
    bare = told.agent.call("propose_claims", claims=[{"subject": "Elm", "predicate": "is", "object": "ours"}])
    assert problems(told.agent) == {"claims_without_evidence": [bare["results"][0]["id"]]}
    cypher(
        database,
        "CREATE (:Claim {id: 'clm_' + $s, scope: $s, status: 'promoted'})-[:SUPPORTED_BY]->(:Evidence) "
        "CREATE (:Fact {id: 'fact_' + $s, scope: $s}) CREATE (:Observation {id: 'obs_' + $s, scope: $s}) "
        "CREATE (:Entity {id: 'ent_' + $s, scope: $s, name: 'A', name_key: 'a' + $s})-[:MERGED_INTO]->"
        "(:Entity {id: 'ent_gone' + $s, scope: $s, name: 'B', name_key: 'b' + $s, retired_at: datetime()})",
        s=told.scope,
    )
    wanted = {
        "claims_without_evidence": [bare["results"][0]["id"]],
        "dangling_merges": [f"ent_{told.scope}"],
        "facts_without_provenance": [f"fact_{told.scope}"],
        "orphan_observations": [f"obs_{told.scope}"],
        "promoted_claims_without_facts": [f"clm_{told.scope}"],
    }
    assert problems(told.agent) == wanted
    assert problems(told.agent) == wanted, "a report repairs nothing"
    assert problems(world.agent(b="read")) == {}
    answer = told.agent.call("audit_memory")
    assert next(iter(answer)) == "framing"
    assert [problem["found"] for problem in answer["problems"]] == [1] * 5
    cypher(database, "MATCH (n) WHERE n.id ENDS WITH $s DETACH DELETE n", s=told.scope)


def test_the_undo_of_a_run_retires_one_of_every_kind_that_it_made(world: World) -> None:
    agent = world.agent(a="read,write,govern")
    agent.call("create_entities", entities=[{"name": "Fir"}])
    for operation, payload in (
        ("create_entities", {"entities": [{"name": "Elm", "aliases": ["Ulmus"], "observations": ["tall"]}]}),
        ("create_relations", {"relations": [{"from": "Elm", "type": "near", "to": "Fir"}]}),
        ("create_tasks", {"tasks": [{"title": "Prune", "external_id": "t-1"}]}),
        ("create_notes", {"notes": [{"title": "On elms"}]}),
        ("link_task_entity", {"task": "t-1", "entity": "Fir"}),
        ("propose_claims", {"claims": [{"subject": "Fir", "predicate": "is", "object": "tall"}]}),
        ("put_document", {"title": "On elms", "text": "Elms are tall."}),
    ):
        agent.call(operation, **payload, provenance={"session_id": "bad"})
    made = {
        kind: int(kind not in {"supports", "candidates"})  # only `graphsvc ingest` makes these
        for kind, _ in RETIRING.values()
    }
    assert agent.call("retire_by_provenance", session_id="bad", dry_run=True)["would_retire"] == made
    assert agent.call("retire_by_provenance", session_id="bad")["retired"] == made
    assert [r["entity"]["name"] for r in agent.call("open_nodes", names=["Elm", "Fir"])["entities"]] == [
        "Fir"
    ]
    assert set(agent.call("retire_by_provenance", session_id="bad")["retired"].values()) == {0}
