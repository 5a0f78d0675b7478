"""Whatever is changed behind the service's back is found and located (spec 08).

Goal: every kind of node of the log and of governance, every property of it, its edges and labels; also what the rest of
the graph says. Method: a governed scope in the real database; each property of each node is changed in Cypher, one at
a time, and `verify` must name that very node; then it is changed back and `verify` must find nothing.
"""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import pytest

from graphsvc.graph import Graph
from graphsvc.service.replay import ScopeReport, replay, verify
from graphsvc.service.sealing import seal_all
from graphsvc.settings import Settings
from tests.claims.conftest import MakeHuman, people_of
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess

NOT_STATE: Final = {
    "last_seen_at": "not part of history (spec 01)",
    "transition_id": "how a repeated attempt knows its own work; the chain has the transitions themselves",
    "terms": "search words, made from the text",
    "session_id": "of a fact; the sealed transition has it",
    "unsealed": "not yet in a chain",
}
"""Properties that no state is made of, and why."""

SOURCE: Final = {"schema": "source_ref/v1", "resolver": "url", "ref": {"url": "https://example.org/elm"}}


class Governed:
    """A scope in which everything was governed, with its audit."""

    def __init__(self, world: World, human: MakeHuman, service: ServiceProcess, database: Database) -> None:
        self.scope = world.scope("a")
        self.database, self.home = database, Settings(home=service.home)
        self.agent, self.person = world.agent(a="read,write,govern"), human(a="read,approve")
        world.operator.call("set_policy", scope=self.scope, multi_evidence=True, rationale="as agreed")
        world.operator.call("set_policy", scope=self.scope, sensitive_kinds=["person"], sensitive=True)
        first, second, third, fourth = (self.fact(f"tall {i}") for i in range(4))
        self.govern(first, "supersede", by=second)
        self.govern(third, "contradict", **{"with": fourth})
        fir = self.agent.call("create_entities", entities=[{"name": "Fir"}])["results"][0]["id"]
        self.govern(self.fact({"id": fir}), "invalidate", effective_at="2090-01-01T00:00:00Z")
        claim = {"subject": "Elm", "predicate": "is", "object": "small"}
        claim_id = self.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        self.agent.call("reject_claim", claim=claim_id, reason="no")

    def fact(self, said: Any) -> str:
        """A fact, promoted on a person's approval."""
        made = self.agent.call(
            "create_entities",
            entities=[{"name": "Elm", "observations": [f"seen {said}"]}],
            provenance={"session_id": "s1", "tool": "eyes", "chunk_ref": "c1", "source_ref": SOURCE},
        )
        ref = made["results"][0]["observations"][0]["id"]
        evidence = [{"kind": "observation", "ref": ref, "excerpt": "seen", "weight": 0.5}]
        claim = {"subject": "Elm", "predicate": "is", "object": said, "confidence": 0.9, "evidence": evidence}
        claim_id = self.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        listed = self.agent.call("list_claims", limit=500, budget={"limit": 200_000})["claims"]
        sha256 = next(c["statement_sha256"] for c in listed if c["id"] == claim_id)
        self.person.call("approve", claim=claim_id, statement_sha256=sha256)
        promoted = self.agent.call(
            "promote_candidate", claim=claim_id, mode="human_confirmed", rationale="yes"
        )
        return str(promoted["fact"])

    def govern(self, fact: str, action: str, **more: Any) -> None:
        """An action on a fact, approved by the person."""
        wanted = {"fact": fact, "action": action, **more}
        refused = self.agent.post("govern_fact", wanted).json()
        sha256 = refused["errors"][0]["reason"].split()[2]
        self.person.call("approve", govern=wanted, statement_sha256=sha256)
        self.agent.call("govern_fact", **wanted, rationale="so it is")

    def audit(self, check: Any = verify) -> ScopeReport:
        """What the audit finds."""

        async def work() -> ScopeReport:
            graph = Graph.connect(self.database.bolt_url, self.database.user, self.database.password)
            try:
                await seal_all(graph, self.home)
                return (await check(graph, self.home, [self.scope]))[0]  # type: ignore[no-any-return]
            finally:
                await graph.close()

        return asyncio.run(work())

    def run(self, statement: str, **params: Any) -> list[dict[str, Any]]:
        """Cypher in the database, past the service."""
        return cypher(self.database, statement, scope=self.scope, **params)


@pytest.fixture(scope="module")
def governed(operator: Caller, service: ServiceProcess, database: Database) -> Iterator[Governed]:
    """One for all tests of this file: each leaves it as it was."""
    world = World(operator, service.base_url, 970_000)
    people = people_of(world, database)
    yield Governed(world, next(people), service, database)
    next(people, None)
    for caller in world.callers:
        caller.close()


def changed(value: Any) -> Any:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1_000
        case str():
            return value + "x"
        case list():
            return [*value, "x"]
        case _:
            return None  # a time


def nodes(governed: Governed, label: str) -> dict[str, dict[str, Any]]:
    """All nodes of a label in the scope, by element id."""
    rows = governed.run(
        f"MATCH (n:{label} {{scope: $scope}}) RETURN elementId(n) AS e, properties(n) AS p ORDER BY n.id"
    )
    return {row["e"]: row["p"] for row in rows}


def representative(found: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Each property once, with a node that has it."""
    first: dict[str, str] = {}
    for element, properties in found.items():
        for name in properties:
            first.setdefault(name, element)
    return sorted((element, name) for name, element in first.items() if name not in NOT_STATE)


@pytest.mark.parametrize(
    "label", ["Transition", "Claim", "Fact", "Approval", "Decision", "Policy", "Evidence"]
)
def test_every_property_of_every_kind_of_node_is_guarded(governed: Governed, label: str) -> None:
    assert governed.audit().problems == []
    found = nodes(governed, label)
    assert found
    unnoticed = []
    for element, name in representative(found):
        value = found[element][name]
        where = "MATCH (n) WHERE elementId(n) = $element "
        governed.run(where + f"SET n.`{name}` = $value", element=element, value=changed(value))
        try:
            problems = governed.audit().problems
        finally:
            governed.run(where + f"SET n.`{name}` = $value", element=element, value=value)
        target = found[element]["id"].partition("/")[0]  # evidence is part of its claim
        located = [problem for problem in problems if target in map(str, problem.values())]
        if not located and not (label == "Transition" and name in {"seq", "scope", "id"} and problems):
            unnoticed.append((name, problems[:2]))
    assert unnoticed == []
    assert governed.audit().problems == []


def problems_without(governed: Governed, pattern: str) -> tuple[list[str], list[dict[str, Any]]]:
    """What the audit says while one edge `r` of this pattern is away, and the ids of the nodes along the pattern."""
    one = governed.run(
        f"MATCH p = {pattern} WITH r, nodes(p) AS ends LIMIT 1 WITH r, ends, type(r) AS type, "
        "elementId(startNode(r)) AS a, elementId(endNode(r)) AS b, [n IN ends | n.id] AS ids "
        "DELETE r RETURN type, a, b, ids"
    )[0]
    problems = governed.audit().problems
    governed.run(
        f"MATCH (a) WHERE elementId(a) = $a MATCH (b) WHERE elementId(b) = $b CREATE (a)-[:{one['type']}]->(b)",
        a=one["a"],
        b=one["b"],
    )
    return one["ids"], problems


@pytest.mark.parametrize(
    "pattern",
    [
        "(:Fact {scope: $scope})-[r:FROM_CLAIM]->(:Claim)",
        "(:Fact {scope: $scope})-[r:ABOUT]->(:Entity)",
        "(:Fact {scope: $scope})-[r:OBJECT]->(:Entity)",
        "(:Fact {scope: $scope})-[r:SUPERSEDES]->(:Fact)",
        "(:Fact {scope: $scope})<-[r:DECIDED]-(:Decision)",
        "(:Claim {scope: $scope})<-[r:DECIDED]-(:Decision)",
        "(:Policy {scope: $scope})<-[r:DECIDED]-(:Decision)",
        "(:Claim {scope: $scope})-[r:ABOUT]->(:Entity)",
        "(:Claim {scope: $scope})-[r:OBJECT]->(:Entity)",
        "(:Claim {scope: $scope})-[r:SUPPORTED_BY]->(:Evidence)",
        "(:Decision {scope: $scope})-[r:STANDS_ON]->(:Approval)",
        "(:Principal)-[r:GAVE]->(:Approval {scope: $scope})",
        "(:Approval {scope: $scope})-[r:APPROVES]->(:Claim)",
        "(:Approval {scope: $scope})-[r:APPROVES]->(:Fact)",
        "(:Scope {id: $scope})-[r:HAS_POLICY]->(:Policy)",
    ],
)
def test_every_edge_of_governance_is_guarded(governed: Governed, pattern: str) -> None:
    ids, problems = problems_without(governed, pattern)
    assert [p for p in problems if p.get("id") in ids], (pattern, problems)
    assert governed.audit().problems == []


def test_every_edge_of_provenance_is_guarded(governed: Governed) -> None:
    for type_ in ("RECORDED_IN", "MADE_WITH", "FROM_CHUNK", "READ_FROM"):
        ids, problems = problems_without(governed, f"(:Transition {{scope: $scope}})-[r:{type_}]->()")
        assert [problem["transition"] for problem in problems] == ids[:1]
    renamed = "MATCH (s:Session {scope: $scope, session_id: $was}) SET s.session_id = $is"
    governed.run(renamed, **{"was": "s1", "is": "s2"})
    problems = governed.audit().problems
    governed.run(renamed, **{"was": "s2", "is": "s1"})
    assert {problem["problem"] for problem in problems} == {
        "session, tool, chunk or source is not the one it names"
    }
    assert governed.audit().problems == []


@pytest.mark.parametrize("label", ["Claim", "Fact", "Approval", "Decision", "Policy"])
def test_a_node_that_is_forged_taken_away_or_relabelled_is_found(governed: Governed, label: str) -> None:
    forged = governed.run(
        f"MATCH (n:{label} {{scope: $scope}}) WITH n LIMIT 1 CREATE (m:Hidden) SET m = properties(n) "
        f"SET m.id = n.id + '0', m.statement_sha256 = null, m.version = n.version + 100 "
        f"REMOVE m:Hidden SET m:{label} RETURN m.id AS id"
    )[0]["id"]
    assert {"problem": "not in the log", "kind": label.lower(), "id": forged} in governed.audit().problems
    governed.run(f"MATCH (n:{label} {{id: $id}}) DELETE n", id=forged)
    gone = governed.run(
        f"MATCH (n:{label} {{scope: $scope}}) WITH n LIMIT 1 REMOVE n:{label} SET n:Hidden RETURN n.id AS id"
    )
    assert {
        "problem": "not in the graph",
        "kind": label.lower(),
        "id": gone[0]["id"],
    } in governed.audit().problems
    governed.run(f"MATCH (n:Hidden {{id: $id}}) REMOVE n:Hidden SET n:{label}", id=gone[0]["id"])
    retired = governed.run(
        f"MATCH (n:{label} {{scope: $scope}}) WITH n LIMIT 1 SET n:Retired RETURN n.id AS id"
    )
    assert retired[0]["id"] in str(governed.audit().problems)
    governed.run(f"MATCH (n:{label} {{id: $id}}) REMOVE n:Retired", id=retired[0]["id"])
    assert governed.audit().problems == []


def test_a_scope_made_insensitive_behind_the_services_back_is_found(governed: Governed) -> None:
    governed.run("MATCH (s:Scope {id: $scope}) SET s.sensitive = false")
    current = governed.run("MATCH (p:Policy {scope: $scope, current: true}) RETURN p.id AS id")[0]["id"]
    problems = governed.audit().problems
    governed.run("MATCH (s:Scope {id: $scope}) SET s.sensitive = true")
    assert [p["id"] for p in problems] == [current]
    assert governed.audit().problems == []


def test_a_transition_that_is_taken_away_doubled_or_moved_is_found(governed: Governed) -> None:
    gone = governed.run(
        "MATCH (t:Transition {scope: $scope, seq: 7}) SET t:Hidden REMOVE t:Transition RETURN elementId(t) AS e"
    )[0]["e"]
    missing = {"problem": "transitions are missing", "after_seq": 6, "before_seq": 8}
    assert missing in governed.audit().problems
    governed.run("MATCH (t:Hidden) WHERE elementId(t) = $e SET t:Transition REMOVE t:Hidden", e=gone)
    # Two of one place cannot be: a constraint forbids it.
    governed.run(
        "MATCH (t:Transition {scope: $scope, seq: 7}) CREATE (m:Hidden) SET m = properties(t) "
        "SET m.id = 'trn_forged', m.seq = 1000 REMOVE m:Hidden SET m:Transition"
    )
    assert "trn_forged" in str(governed.audit().problems)
    governed.run("MATCH (t:Transition {id: 'trn_forged'}) DELETE t")
    governed.run(
        "CREATE (:Transition {id: 'trn_loose', scope: $scope, target_id: 'x', target_kind: 'fact', revision: 1, op: 'create', at: datetime()})"
    )
    loose = {"problem": "transition outside the chain", "transition": "trn_loose"}
    assert loose in governed.audit().problems
    governed.run("MATCH (t:Transition {id: 'trn_loose'}) DELETE t")
    assert governed.audit().problems == []


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        ("MATCH (n:Entity {scope: $scope, name: 'Elm'}) SET n.name = 'Oak' RETURN n.id AS id", "SET n.name = 'Elm'"),
        ("MATCH (n:Observation {scope: $scope}) WITH n LIMIT 1 SET n.text = n.text + '!' RETURN n.id AS id",
         "SET n.text = left(n.text, size(n.text) - 1)"),
        ("MATCH (n:Observation {scope: $scope}) WITH n LIMIT 1 SET n.created_by = 'x' RETURN n.id AS id",
         "SET n.created_by = n.updated_by"),
        ("MATCH (n:Observation {scope: $scope}) WITH n LIMIT 1 SET n:Retired RETURN n.id AS id", "REMOVE n:Retired"),
    ],
)  # fmt: skip
def test_replay_finds_what_is_changed_elsewhere_in_the_graph(
    governed: Governed, change: str, undo: str
) -> None:
    assert governed.audit(replay).problems == []
    target = governed.run(change)[0]["id"]
    problems = governed.audit(replay).problems
    governed.run(f"MATCH (n {{id: $id}}) {undo}", id=target)
    assert [problem["id"] for problem in problems] == [target] * len(problems) != []
    assert governed.audit(replay).problems == []
