"""There is no path by which an agent or a service gets a claim of a sensitive scope promoted (spec 08, 09).

Goal: whatever is asked, with whatever credential but a person's, over HTTP and over MCP: no fact, no approval, no change of
the scope's sensitivity. Method: every operation of the table with every payload that could carry the claim, and random
sequences among which a person approves now and then: then exactly what was approved may be done, once.
"""

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphsvc.domain.statements import govern_sha256
from graphsvc.mcp.tools import TOOLS
from graphsvc.operations import OPERATIONS
from tests.claims.conftest import MakeHuman
from tests.conftest import Database, World
from tests.harness.mcp_client import over_http, rpc
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller

MODES = ("human_confirmed", "multi_evidence", "imported")
FORGED = {"approved_by": "a human", "approval": "app_1", "principal": "boss", "kind": "human", "human": True}
ACCEPT = {"Accept": "application/json, text/event-stream"}
_numbers = itertools.count()


class Sensitive:
    """Scope `a`, sensitive, with claims in it and every credential that is not a person's."""

    def __init__(self, world: World, claims: int = 1) -> None:
        self.world, self.scope = world, world.scope("a")
        world.operator.call("set_policy", scope=self.scope, multi_evidence=True)
        token = {"principal": f"svc-{self.scope[8:]}", "kind": "service", "default_scope": self.scope,
                 "grants": {self.scope: ["read", "write", "govern", "admin"]}}  # fmt: skip
        made = world.operator.call("create_tokens", tokens=[token])["results"][0]
        self.service = Caller(world.base_url, made["token"])
        world.callers.append(self.service)
        self.agent = world.agent(a="read,write,govern")
        self.callers = {
            "operator": world.operator,
            "service": self.service,
            "agent with all grants": world.agent(a="read,write,govern,admin"),
            "agent that governs": self.agent,
            "agent that writes": world.agent(a="read,write"),
            "agent that reads": world.agent(a="read"),
            "agent elsewhere": world.agent(b="read,write,govern,admin"),
        }
        self.claims = [self.propose() for _ in range(claims)]
        world.operator.call("set_policy", scope=self.scope, sensitive=True)

    def propose(self) -> dict[str, Any]:
        """A claim with everything that multi_evidence asks for, as it is listed."""
        name = f"Thing {next(_numbers)}"
        refs = []
        for i in range(3):
            made = self.agent.call(
                "create_entities",
                entities=[{"name": name, "observations": [f"{name} seen {i}"]}],
                provenance={"session_id": f"{name} {i}"},
            )
            refs.append(made["results"][0]["observations"][0]["id"])
        evidence = [{"kind": "observation", "ref": ref} for ref in refs]
        claim = {
            "subject": name,
            "predicate": "is",
            "object": "good",
            "confidence": 0.9,
            "evidence": evidence,
        }
        claim_id = self.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        listed = self.agent.call("list_claims", subject=name)["claims"]
        return next(claim for claim in listed if claim["id"] == claim_id)

    def payloads(self, claim: dict[str, Any]) -> list[dict[str, Any]]:
        """All that one might try to have the claim promoted with; most operations take but one or two of these."""
        ref, sha256 = claim["id"], claim["statement_sha256"]
        statement = {
            "subject": claim["subject"]["id"],
            "predicate": "is",
            "object": "good",
            "status": "promoted",
        }
        return [
            *({"claim": ref, "mode": mode, "scope": self.scope} for mode in MODES),
            {"claim": ref, "mode": "human_confirmed", "rationale": "approved by the boss"},
            {"claim": ref, "mode": "human_confirmed", **FORGED},
            {"claim": ref, "statement_sha256": sha256},
            {"claim": ref, "statement_sha256": sha256, **FORGED},
            {"claim": ref, "reason": "promoted"},
            {"policy": {"scope": self.scope, "sensitive": False}, "statement_sha256": sha256},
            {"scope": self.scope, "sensitive": False},
            {"scope": self.scope, "sensitive": False, "multi_evidence": True, "sensitive_kinds": []},
            {"scopes": [{"id": self.scope, "sensitive": False, "title": "plain"}]},
            {"tokens": [{"principal": "p", "kind": "human", "grants": {self.scope: ["read", "approve"]}}]},
            {"tokens": [{"principal": "p", "kind": "agent", "grants": {self.scope: ["approve"]}}]},
            {"tokens": [{"principal": "p", "kind": "agent", "grants": {"*": ["approve"]}}]},
            {"scope": self.scope, "claims": [{**statement, "mode": "imported"}]},
            {"scope": self.scope, "claims": [statement], "provenance": {"decision_id": "dec_1"}},
            {"scope": self.scope, "ids": [ref]},
            {"scope": self.scope, "items": [{"entity": claim["subject"]["id"], "kind": "public"}]},
            {"scope": self.scope, "items": [{"id": ref, "status": "promoted"}]},
            {"fact": ref, "action": "revalidate"},
            {"fact": ref.replace("clm_", "fact_"), "action": "revalidate"},
            {"scope": self.scope, "text": f"{claim['subject']['name']} is good."},
            {"scope": self.scope, "principal": "nobody", "dry_run": False},
            {"id": ref},
            {"status": "promoted"},
            {},
        ]


def fitting(name: str, payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those payloads whose fields the operation has at all (others are refused unread), and one that is refused."""
    if name in {"promote_candidate", "approve"}:
        return payloads
    fields = OPERATIONS[name].request.model_fields
    known = {field.alias or own for own, field in fields.items()}
    return [payload for payload in payloads if payload.keys() <= known] + payloads[4:5]


def state(database: Database, scope: str) -> dict[str, Any]:
    """What must not come about: facts, approvals, promoted claims; and whether the scope is still sensitive."""
    return cypher(
        database,
        "MATCH (s:Scope {id: $scope}) RETURN s.sensitive AS sensitive, "
        "COUNT { MATCH (:Fact {scope: $scope}) } AS facts, COUNT { MATCH (:Approval {scope: $scope}) } AS approvals, "
        "COUNT { MATCH (c:Claim {scope: $scope}) WHERE c.status = 'promoted' } AS promoted, "
        "COUNT { MATCH (:Fact)-[:FROM_CLAIM]->(:Claim {scope: $scope}) } AS elsewhere, "
        "COUNT { MATCH (t:Token)-[g:GRANTS]->(:Scope {id: $scope}) WHERE 'approve' IN g.actions } AS tokens",
        scope=scope,
    )[0]


NOTHING = {"sensitive": True, "facts": 0, "approvals": 0, "promoted": 0, "elsewhere": 0, "tokens": 0}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_no_route_with_any_credential(no_path: Sensitive, database: Database, name: str) -> None:
    if not no_path.agent.call("list_claims", status="candidate")["claims"]:
        no_path.claims = [no_path.propose()]  # an operation retired or rejected the one before, as it may
    refused: Counter[int] = Counter()
    for caller in no_path.callers.values():
        for payload in fitting(name, no_path.payloads(no_path.claims[0])):
            response = caller.post(name, payload)
            assert response.status_code < 500, response.text
            refused[response.status_code] += 1
            if name in {"promote_candidate", "approve"}:
                assert response.status_code in {403, 404, 409, 422}, (payload, response.text)
    nobody = Caller(no_path.world.base_url, "gsv_made_up")
    assert nobody.post(name, {"claim": no_path.claims[0]["id"], "mode": "imported"}).status_code == 401
    nobody.close()
    assert state(database, no_path.scope) == NOTHING, refused


@pytest.fixture(scope="module")
def no_path(operator: Caller, service: Any) -> Any:
    """One sensitive scope for all routes: nothing may come about in it, so that nothing is left behind."""
    world = World(operator, service.base_url, 980_000)
    yield Sensitive(world)
    for caller in world.callers:
        caller.close()


async def test_no_tool_with_any_credential(no_path: Sensitive, database: Database) -> None:
    claim = no_path.propose()
    for caller in no_path.callers.values():
        async with over_http(str(caller.http.base_url), caller.token) as client:
            offered = [tool.name for tool in (await client.list_tools()).tools]
            assert offered == list(TOOLS)
        everything = [
            {"operation": name, "claim": claim["id"], "mode": "imported"} for name in sorted(OPERATIONS)
        ]
        promoting = [{"operation": "promote_candidate", **payload} for payload in no_path.payloads(claim)[:5]]
        for tool in offered:
            tried = everything if caller in {no_path.service, no_path.world.operator} else everything[::9]
            for number, arguments in enumerate([*tried, *promoting, *no_path.payloads(claim)[:8]]):
                response = caller.http.post("/mcp", json=rpc(number, tool, arguments), headers=ACCEPT)
                assert response.status_code < 500, response.text
    for name in ("promote_candidate", "approve", "govern_fact", "set_policy", "create_tokens"):
        response = no_path.service.http.post(
            "/mcp",
            json=rpc(1, name, {"claim": claim["id"]}),
            headers=ACCEPT,
        )
        assert '"promoted"' not in response.text
    assert state(database, no_path.scope) == NOTHING


STEP = st.tuples(
    st.sampled_from(["promote", "approve", "person approves", "person approves action", "govern", "policy", "scopes",
                     "token", "reject", "retire", "revive", "kind", "again", "undo"]),
    st.integers(0, 6),
    st.integers(0, 2),
    st.sampled_from(MODES),
    st.sampled_from(["invalidate", "revalidate"]),
)  # fmt: skip


def run_sequences(world: World, human: MakeHuman, database: Database, examples: int) -> None:
    """Random sequences of everything; each in claims of its own, all in one sensitive scope."""
    made = Sensitive(world)
    person = human(a="read,approve")
    callers = list(made.callers.values())
    promoted_in_all: list[str] = []

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEP, min_size=1, max_size=14))
    def try_sequence(steps: list[tuple[str, int, int, str, str]]) -> None:
        claims = [made.propose() for _ in range(3)]
        approved: Counter[str] = Counter()  # what a person has approved and nobody has used yet
        facts: dict[str, str] = {}
        for what, who, which, mode, action in steps:
            caller, claim = callers[who], claims[which]
            ref, sha256 = claim["id"], claim["statement_sha256"]
            fact = facts.get(ref, "fact_none")
            governed = {"fact": fact, "action": action}
            govern_digest = govern_sha256(fact, action, None, None)
            requests: dict[str, tuple[Caller, str, dict[str, Any]]] = {
                "promote": (caller, "promote_candidate", {"claim": ref, "mode": mode}),
                "approve": (caller, "approve", {"claim": ref, "statement_sha256": sha256}),
                "person approves": (person, "approve", {"claim": ref, "statement_sha256": sha256}),
                "person approves action": (person, "approve", {"govern": governed, "statement_sha256": govern_digest}),
                "govern": (caller, "govern_fact", governed),
                "policy": (caller, "set_policy", {"scope": made.scope, "sensitive": False, "multi_evidence": True}),
                "scopes": (caller, "create_scopes", {"scopes": [{"id": made.scope, "sensitive": False}]}),
                "token": (caller, "create_tokens", {"tokens": [{"principal": "p", "kind": "human", "grants": {made.scope: ["approve"]}}]}),
                "reject": (caller, "reject_claim", {"claim": ref, "reason": "no"}),
                "retire": (caller, "retire", {"scope": made.scope, "ids": [ref]}),
                "revive": (caller, "revive", {"scope": made.scope, "ids": [ref]}),
                "kind": (caller, "update_entities", {"scope": made.scope, "items": [{"entity": claim["subject"]["id"], "kind": mode}]}),
                "again": (caller, "propose_claims", {"scope": made.scope, "claims": [{"subject": claim["subject"]["id"], "predicate": "is", "object": "good"}]}),
                "undo": (caller, "retire_by_provenance", {"scope": made.scope, "session_id": f"{claim['subject']['name']} 0"}),
            }  # fmt: skip
            by, operation, payload = requests[what]
            response = by.post(operation, payload)
            assert response.status_code < 500, response.text
            succeeded = response.status_code == 200
            if by is person and succeeded:
                approved[payload["statement_sha256"]] += 1
            elif what in {"approve", "policy"}:
                assert not succeeded, (what, response.text)
            elif what == "promote" and succeeded:
                assert mode == "human_confirmed"
                assert approved[sha256] > 0, "promoted without an approval"
                approved[sha256] -= 1
                facts[ref] = response.json()["fact"]
            elif what == "govern" and succeeded:
                assert approved[govern_digest] > 0, "governed without an approval"
                approved[govern_digest] -= 1
        promoted_in_all.extend(facts.values())
        rows = cypher(
            database,
            "MATCH (f:Fact {scope: $scope}) "
            "RETURN f.id AS id, f.mode AS mode, "
            "COUNT { (f)<-[:DECIDED]-(:Decision {action: 'promote'})-[:STANDS_ON]->(:Approval)<-[:GAVE]-(:Principal {kind: 'human'}) } AS people",
            scope=made.scope,
        )
        assert sorted(row["id"] for row in rows) == sorted(promoted_in_all)
        assert {(row["mode"], row["people"]) for row in rows} <= {("human_confirmed", 1)}
        forged = cypher(
            database,
            "MATCH (a:Approval {scope: $scope}) WHERE NOT (a)<-[:GAVE]-(:Principal {kind: 'human'}) RETURN a.id AS id",
            scope=made.scope,
        )
        assert forged == []
        assert state(database, made.scope)["sensitive"] is True

    try_sequence()


def test_no_random_sequence_promotes_what_no_person_approved(
    world: World, human: MakeHuman, database: Database
) -> None:
    run_sequences(world, human, database, 15)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_long_run_of_random_sequences_does(world: World, human: MakeHuman, database: Database) -> None:
    run_sequences(world, human, database, 300)
