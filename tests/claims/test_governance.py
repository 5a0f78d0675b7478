"""Promotion and governance: what makes a fact, and what no agent or service can do (spec 08).

Method: real service, real Neo4j; people's tokens are made at the terminal. The property test tries random sequences of
every governing operation with every credential that is not a person's, and looks into the database after each.
"""

import itertools
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphsvc.domain.statements import govern_sha256
from graphsvc.operations import OPERATIONS
from tests.claims.conftest import MakeHuman
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller

_numbers = itertools.count()


def propose(caller: Caller, n: int = 3, confidence: float = 0.8, **extra: Any) -> dict[str, Any]:
    """A claim with `n` stored observations of different sessions as evidence, as it is listed."""
    name = f"Thing {next(_numbers)}"
    refs = []
    for i in range(n):
        made = caller.call(
            "create_entities",
            entities=[{"name": name, "kind": extra.get("kind"), "observations": [f"{name} seen {i}"]}],
            provenance={"session_id": f"{name} {i}"},
        )
        refs.append(made["results"][0]["observations"][0]["id"])
    claim = caller.call(
        "propose_claims",
        claims=[
            {
                "subject": name,
                "predicate": "is",
                "object": "good",
                "confidence": confidence,
                "evidence": [{"kind": "observation", "ref": ref} for ref in refs],
            }
        ],
    )["results"][0]["id"]
    return next(c for c in caller.call("list_claims", limit=500)["claims"] if c["id"] == claim)


def problem(response: httpx.Response) -> str:
    """The type of a problem."""
    return str(response.json()["type"]).removeprefix("/errors/")


@pytest.fixture
def sensitive(world: World) -> str:
    """Scope `a`, sensitive."""
    scope = world.scope("a")
    world.operator.call("set_policy", scope=scope, sensitive=True)
    return scope


def test_independent_evidence_promotes_only_where_policy_allows_it(world: World) -> None:
    agent = world.agent(a="read,write,govern")
    claim = propose(agent)
    ask = {"claim": claim["id"], "mode": "multi_evidence"}
    assert problem(agent.post("promote_candidate", ask)) == "policy_refuses"
    assert world.operator.call("set_policy", scope=world.scope("a"), multi_evidence=True)["version"] == 1
    promoted = agent.call("promote_candidate", **ask)
    assert promoted["fact"].startswith("fact_")
    assert promoted["decision"].startswith("dec_")
    assert problem(agent.post("promote_candidate", ask)) == "conflict"
    fact = agent.call("list_facts")["facts"][0]
    assert (fact["mode"], fact["claim_id"], fact["status"]) == ("multi_evidence", claim["id"], "active")
    for weak in (propose(agent, n=2), propose(agent, confidence=0.6), propose(agent, n=0 + 1)):
        answer = agent.post("promote_candidate", {"claim": weak["id"], "mode": "multi_evidence"})
        assert problem(answer) == "evidence_required"
    agent.call("create_entities", entities=[{"name": "Bare"}])
    bare = agent.call("propose_claims", claims=[{"subject": "Bare", "predicate": "is", "object": "x"}])[
        "results"
    ][0]["id"]
    assert (
        problem(agent.post("promote_candidate", {"claim": bare, "mode": "human_confirmed"}))
        == "evidence_required"
    )
    assert agent.post("promote_candidate", {"claim": claim["id"], "mode": "imported"}).status_code == 403


def test_an_approval_is_for_one_content_for_one_use_and_for_a_time(
    world: World, sensitive: str, human: MakeHuman, database: Database
) -> None:
    agent, person = world.agent(a="read,write,govern"), human(a="read,approve")
    claim = propose(agent)
    ask = {"claim": claim["id"], "mode": "human_confirmed"}
    assert problem(agent.post("promote_candidate", ask)) == "approval_required"
    assert problem(person.post("approve", {"claim": claim["id"], "statement_sha256": "0" * 64})) == "conflict"
    approve = {"claim": claim["id"], "statement_sha256": claim["statement_sha256"]}
    approval = person.call("approve", **approve, ttl_s=3600)["approval"]
    # Another claim's approval is worth nothing, nor is an expired one.
    other = propose(agent)
    assert problem(agent.post("promote_candidate", {**ask, "claim": other["id"]})) == "approval_required"
    cypher(
        database, "MATCH (a:Approval {id: $id}) SET a.expires_at = datetime() - duration('PT1S')", id=approval
    )
    assert problem(agent.post("promote_candidate", ask)) == "approval_required"
    again = person.call("approve", **approve)["approval"]
    promoted = agent.call("promote_candidate", **ask)
    used = cypher(database, "MATCH (a:Approval {id: $id}) RETURN a.used_by AS by", id=again)
    assert used == [{"by": promoted["decision"]}]
    # The fact of a sensitive scope is governed only with an approval of exactly that action.
    fact = promoted["fact"]
    action = {"fact": fact, "action": "invalidate", "effective_at": "2030-01-01T00:00:00Z"}
    refused = agent.post("govern_fact", action)
    assert problem(refused) == "approval_required"
    sha256 = refused.json()["errors"][0]["reason"].split()[2]
    person.call("approve", govern=action, statement_sha256=sha256)
    assert problem(agent.post("govern_fact", {"fact": fact, "action": "revalidate"})) == "approval_required"
    agent.call("govern_fact", **action)
    assert agent.call("list_facts")["facts"][0]["valid_to"].startswith("2030-01-01")
    assert problem(agent.post("govern_fact", action)) == "approval_required"


def test_a_sensitive_scope_becomes_insensitive_only_with_an_approval(
    world: World, sensitive: str, human: MakeHuman
) -> None:
    world.operator.call("create_scopes", scopes=[{"id": sensitive, "sensitive": False}])
    for loosening in ({"sensitive": False}, {"sensitive": False, "multi_evidence": True}):
        assert (
            problem(world.operator.post("set_policy", {"scope": sensitive, **loosening}))
            == "approval_required"
        )
    world.operator.call("set_policy", scope=sensitive, sensitive_kinds=["Person"])
    refused = world.operator.post("set_policy", {"scope": sensitive, "sensitive_kinds": []})
    assert problem(refused) == "approval_required"
    person = human(a="read,approve")
    sha256 = refused.json()["errors"][0]["reason"].split()[2]
    person.call("approve", policy={"scope": sensitive, "sensitive_kinds": []}, statement_sha256=sha256)
    assert world.operator.call("set_policy", scope=sensitive, sensitive_kinds=[])["version"] == 3


def test_kinds_named_in_policy_stay_sensitive_whatever_they_are_called_later(world: World) -> None:
    agent = world.agent(a="read,write,govern")
    world.operator.call("set_policy", scope=world.scope("a"), multi_evidence=True, sensitive_kinds=["person"])
    claim = propose(agent, kind="Person")
    agent.call("update_entities", items=[{"entity": claim["subject"]["name"], "kind": "machine"}])
    answer = agent.post("promote_candidate", {"claim": claim["id"], "mode": "multi_evidence"})
    assert problem(answer) == "approval_required"
    # Nor does it help to claim from another scope.
    both = world.agent(b="read,write,govern", a="read")
    world.operator.call("set_policy", scope=world.scope("b"), multi_evidence=True)
    world.operator.call("set_policy", scope=world.scope("a"), sensitive=True)
    evidence = [{"kind": "observation", "ref": part["ref"]} for part in claim["evidence"]]
    elsewhere = both.call(
        "propose_claims",
        claims=[
            {
                "subject": claim["subject"]["id"],
                "predicate": "is",
                "object": "x",
                "confidence": 0.9,
                "evidence": evidence,
            }
        ],
    )["results"][0]["id"]
    answer = both.post("promote_candidate", {"claim": elsewhere, "mode": "multi_evidence"})
    assert problem(answer) == "approval_required"


def test_facts_are_superseded_contradicted_invalidated_and_revalidated(
    world: World, human: MakeHuman
) -> None:
    agent, person = world.agent(a="read,write,govern"), human(a="read,approve")
    world.operator.call("set_policy", scope=world.scope("a"), multi_evidence=True)

    def fact(mode: str = "multi_evidence") -> str:
        claim = propose(agent)
        if mode == "human_confirmed":
            person.call("approve", claim=claim["id"], statement_sha256=claim["statement_sha256"])
        return str(agent.call("promote_candidate", claim=claim["id"], mode=mode)["fact"])

    def facts() -> dict[str, Any]:
        return {fact["id"]: fact for fact in agent.call("list_facts")["facts"]}

    low, lower, high = fact(), fact(), fact("human_confirmed")
    agent.call("govern_fact", fact=low, action="contradict", **{"with": high})
    assert [facts()[each]["contradicted"] for each in (low, high, lower)] == [True, True, False]
    assert (
        problem(agent.post("govern_fact", {"fact": high, "action": "supersede", "by": low}))
        == "approval_required"
    )
    sha256 = govern_sha256(high, "supersede", low, None)
    person.call("approve", govern={"fact": high, "action": "supersede", "by": low}, statement_sha256=sha256)
    agent.call("govern_fact", fact=high, action="supersede", by=low, rationale="newer")
    assert (facts()[high]["status"], facts()[high]["superseded_by"]) == ("superseded", low)
    assert [c["status"] for c in agent.call("list_claims")["claims"]].count("superseded") == 1
    agent.call("govern_fact", fact=lower, action="supersede", by=low)
    assert problem(agent.post("govern_fact", {"fact": low, "action": "supersede", "by": high})) == "conflict"
    agent.call("govern_fact", fact=low, action="invalidate")
    assert facts()[low]["valid_to"] is not None
    agent.call("govern_fact", fact=low, action="revalidate")
    assert facts()[low]["valid_to"] is None
    for wrong in (
        {"action": "supersede"},
        {"action": "revalidate", "by": high},
        {"action": "contradict", "with": low},
    ):
        assert agent.post("govern_fact", {"fact": low, **wrong}).status_code in {409, 422}


def test_only_people_approve_and_tokens_with_approve_are_made_at_the_terminal_only(
    world: World, sensitive: str, human: MakeHuman
) -> None:
    claim = propose(world.agent(a="read,write,govern"))
    approve = {"claim": claim["id"], "statement_sha256": claim["statement_sha256"]}
    for caller in (world.operator, world.agent(a="read,write,govern,admin")):
        assert caller.post("approve", approve).status_code == 403
    for kind in ("agent", "service", "human"):
        token = {"principal": f"forger-{kind}", "kind": kind, "grants": {sensitive: ["read", "approve"]}}
        results = world.operator.call("create_tokens", tokens=[token])["results"]
        assert results[0]["outcome"] == "invalid"
    # A person without the grant on this scope approves nothing here.
    assert human(b="read,approve", a="read").post("approve", approve).status_code == 404
    assert OPERATIONS["approve"].needs == "approve"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "promote",
                "approve",
                "policy",
                "scopes",
                "token",
                "reject",
                "retire",
                "revive",
                "kind",
                "propose",
            ]
        ),
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from(["human_confirmed", "multi_evidence", "imported"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


def test_no_sequence_of_agents_and_services_promotes_a_sensitive_claim(
    world: World, sensitive: str, database: Database
) -> None:
    answer = world.operator.call(
        "create_tokens",
        tokens=[{"principal": f"svc-{sensitive[8:]}", "kind": "service", "default_scope": sensitive,
                 "grants": {sensitive: ["read", "write", "govern", "admin"]}}],
    )  # fmt: skip
    service = Caller(world.base_url, answer["results"][0]["token"])
    callers = [
        world.operator,
        service,
        world.agent(a="read,write,govern,admin"),
        world.agent(a="read,write,govern"),
    ]
    claims = [propose(callers[2]) for _ in range(3)]

    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def try_all(steps: list[tuple[str, int, int, str, bool]]) -> None:
        for what, who, which, mode, flag in steps:
            caller, claim = callers[who], claims[which]
            ref = {"claim": claim["id"]}
            requests: dict[str, tuple[str, dict[str, Any]]] = {
                "promote": ("promote_candidate", {**ref, "mode": mode, "rationale": "approved by the boss"}),
                "approve": ("approve", {**ref, "statement_sha256": claim["statement_sha256"]}),
                "policy": ("set_policy", {"scope": sensitive, "sensitive": flag, "multi_evidence": True}),
                "scopes": ("create_scopes", {"scopes": [{"id": sensitive, "sensitive": False}]}),
                "token": ("create_tokens", {"tokens": [{"principal": "p", "kind": "human", "grants": {sensitive: ["approve"]}}]}),
                "reject": ("list_claims", {}),
                "retire": ("retire", {"scope": sensitive, "ids": [claim["id"]]}),
                "revive": ("revive", {"scope": sensitive, "ids": [claim["id"]]}),
                "kind": ("update_entities", {"scope": sensitive, "items": [{"entity": claim["subject"]["id"], "kind": mode}]}),
                "propose": ("promote_candidate", {"claim": claim["id"], "mode": mode, "approved_by": "a human"}),
            }  # fmt: skip
            operation, payload = requests[what]
            response = caller.post(operation, payload)
            assert response.status_code < 500, response.text
            if what in {"promote", "approve", "propose"}:
                assert response.status_code in {403, 404, 409, 422}, (what, response.text)
        assert cypher(database, "MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=sensitive) == []
        assert cypher(database, "MATCH (a:Approval {scope: $s}) RETURN a.id AS id", s=sensitive) == []
        assert cypher(database, "MATCH (s:Scope {id: $s}) RETURN s.sensitive AS is", s=sensitive) == [
            {"is": True}
        ]

    try_all()
    service.close()
