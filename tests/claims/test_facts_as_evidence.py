"""Facts read as evidence beside observations, marked with their validity (spec 08).

Method: real service, real Neo4j. Facts are promoted by evidence in scopes whose policy allows it, then governed; each
read is asked before and after.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.conftest import World
from tests.harness.service_process import Caller
from tests.reads.every_read import answer_of

LIMITS = (500, 900, 1_500, 4_000, 200_000)


class Facts:
    """One agent's facts about Elm Press, in scope `a`."""

    def __init__(self, world: World, **grants: str) -> None:
        self.world = world
        self.agent = world.agent(a="read,write,govern", **grants)
        for name in ("a", *grants):
            world.operator.call("set_policy", scope=world.scope(name), multi_evidence=True)
        self.evidence = []
        for i in range(3):
            made = self.agent.call(
                "create_entities",
                entities=[{"name": "Elm Press", "kind": "organization", "observations": [f"note {i}"]}],
                provenance={"session_id": f"s{i}"},
            )
            self.evidence.append({"kind": "observation", "ref": made["results"][0]["observations"][0]["id"]})
        self.entity = made["results"][0]["id"]

    def make(self, predicate: str, object_: Any, scope: str = "a") -> str:
        """A fact; its id."""
        claim = {"subject": "Elm Press", "predicate": predicate, "object": object_, "confidence": 0.9,
                 "evidence": self.evidence, "scope": self.world.scope(scope)}  # fmt: skip
        claim_id = self.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        scope_id = self.world.scope(scope)
        made = self.agent.call("promote_candidate", claim=claim_id, mode="multi_evidence", scope=scope_id)
        return str(made["fact"])

    def govern(self, fact: str, action: str, **more: Any) -> None:
        """Govern a fact."""
        self.agent.call("govern_fact", fact=fact, action=action, **more)


@pytest.fixture
def facts(world: World) -> Facts:
    return Facts(world)


def shown(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The facts among the evidence, by id."""
    records = answer["evidence"] if "evidence" in answer else answer["entities"]
    return {
        text["id"]: text for record in records for text in record["observations"] if text["id"][:5] == "fact_"
    }


def reads(caller: Caller, project: str, query: str) -> list[dict[str, Any]]:
    """The same by each read that shows evidence."""
    return [
        caller.call("search_nodes", query=query),
        caller.call("search_by_project", query=query, project=project),
        caller.call("open_nodes", names=["Elm Press"]),
    ]


def test_every_read_shows_a_fact_marked_beside_observations(world: World, facts: Facts) -> None:
    fact_id = facts.make("prints", "zincographs")
    listed = facts.agent.call("list_facts")["facts"][0]
    for answer in reads(facts.agent, world.scope("a"), "zincographs"):
        fact = shown(answer)[fact_id]
        assert fact["text"] == "Elm Press prints zincographs"
        assert fact["fact"] == {
            "status": "active",
            "valid_from": listed["valid_from"],
            "valid_to": None,
            "mode": "multi_evidence",
            "confidence": 0.9,
            "claim_id": listed["claim_id"],
            "decision_id": listed["decision_id"],
            "contradicted": False,
        }
    notes = facts.agent.call("open_nodes", names=["Elm Press"])["entities"][0]["observations"]
    assert [("fact" in note) for note in notes] == [note["id"] == fact_id for note in notes]
    assert len(notes) == 4
    hit = facts.agent.call("search_nodes", query="zincographs")
    assert hit["accounting"]["observations"]["returned"] == len(hit["evidence"][0]["observations"]) == 1
    assert hit["evidence"][0]["entity"]["id"] == facts.entity
    assert hit["evidence"][0]["observations"][0]["score"] == hit["evidence"][0]["score"] > 0


def test_a_claim_is_never_shown_as_a_fact(world: World, facts: Facts) -> None:
    claim = {"subject": "Elm Press", "predicate": "prints", "object": "zincographs"}
    facts.agent.call("propose_claims", claims=[claim])
    for answer in reads(facts.agent, world.scope("a"), "zincographs"):
        assert shown(answer) == {}
        assert "zincographs" not in str(answer)


def test_what_is_superseded_or_no_longer_valid_is_not_evidence(world: World, facts: Facts) -> None:
    old, new = facts.make("prints", "zincographs of 2024"), facts.make("prints", "zincographs of 2025")
    other = facts.make("sells", "zincographs by post")

    def evidence() -> set[str]:
        answers = [set(shown(a)) for a in reads(facts.agent, world.scope("a"), "zincographs")]
        assert answers[0] == answers[1] == answers[2]
        return answers[0]

    assert evidence() == {old, new, other}
    facts.govern(old, "supersede", by=new)
    assert evidence() == {new, other}
    facts.govern(other, "invalidate", effective_at="2090-01-01T00:00:00Z")
    assert evidence() == {new, other}, "a future time takes effect then, not now"
    later = facts.agent.call("search_nodes", query="zincographs by post")
    assert shown(later)[other]["fact"]["valid_to"].startswith("2090-01-01T00:00")
    facts.govern(other, "invalidate")
    assert evidence() == {new}
    facts.govern(other, "revalidate")
    assert evidence() == {new, other}
    assert {fact["id"] for fact in facts.agent.call("list_facts")["facts"]} == {old, new, other}


def test_a_fact_begins_and_ends_when_it_says(world: World, facts: Facts) -> None:
    def made(**validity: str) -> str:
        claim = {"subject": "Elm Press", "predicate": "prints", "object": f"zincographs {validity}",
                 "confidence": 0.9, "evidence": facts.evidence}  # fmt: skip
        claim_id = facts.agent.call("propose_claims", claims=[claim])["results"][0]["id"]
        promoted = facts.agent.call("promote_candidate", claim=claim_id, mode="multi_evidence", **validity)
        return str(promoted["fact"])

    made(valid_from="2090-01-01T00:00:00Z")
    made(valid_from="2020-01-01T00:00:00Z", valid_to="2021-01-01T00:00:00Z")
    holds = made(valid_from="2020-01-01T00:00:00Z", valid_to="2090-01-01T00:00:00Z")
    for answer in reads(facts.agent, world.scope("a"), "zincographs"):
        assert set(shown(answer)) == {holds}
    ends = datetime.now(UTC) + timedelta(seconds=2)
    facts.govern(holds, "invalidate", effective_at=ends.isoformat())
    while shown(facts.agent.call("search_nodes", query="zincographs")):
        assert datetime.now(UTC) < ends + timedelta(seconds=30)
        time.sleep(0.1)
    assert datetime.now(UTC) >= ends


def test_contradicted_facts_are_both_shown_and_marked(world: World, facts: Facts) -> None:
    one, other = facts.make("prints", "zincographs"), facts.make("never prints", "zincographs")
    facts.govern(one, "contradict", **{"with": other})
    for answer in reads(facts.agent, world.scope("a"), "zincographs"):
        assert {i: fact["fact"]["contradicted"] for i, fact in shown(answer).items()} == {
            one: True,
            other: True,
        }


def test_a_fact_is_seen_only_where_its_scope_its_subject_and_its_object_are(world: World) -> None:
    both = Facts(world, b="read,write,govern")
    made = both.agent.call("create_entities", scope=world.scope("b"), entities=[{"name": "Oak Hall"}])
    crossing = both.make("rents", {"id": made["results"][0]["id"]})
    private = both.make("prints", "zincographs", scope="b")
    assert set(shown(both.agent.call("open_nodes", names=["Elm Press"]))) == {crossing, private}
    only_a, only_b = world.agent(a="read"), world.agent(b="read")
    for query in ("rents", "Oak Hall", "zincographs", "Elm Press"):
        for answer in reads(only_a, world.scope("a"), query):
            assert shown(answer) == {}
            assert "Oak" not in str(answer["evidence"] if "evidence" in answer else answer["entities"])
        assert shown(only_b.call("search_nodes", query=query)) == {}
    before = only_a.call("search_nodes", query="rents zincographs")["accounting"]
    assert (before["candidates"], before["observations"]["matched"]) == (0, 0)
    # The object goes: so does the fact; it comes back with it.
    third = both.make("supplies", {"id": both.entity})
    assert third in shown(only_a.call("search_nodes", query="supplies"))
    at_home = both.agent.call("create_entities", entities=[{"name": "Ash Yard"}])["results"][0]["id"]
    rents = both.make("leases", {"id": at_home})
    assert rents in shown(only_a.call("search_nodes", query="leases"))
    both.agent.call("delete_entities", names=["Ash Yard"])
    assert shown(only_a.call("search_nodes", query="leases")) == {}
    both.agent.call("create_entities", entities=[{"name": "Ash Yard"}])
    assert rents in shown(only_a.call("search_nodes", query="leases"))
    both.agent.call("delete_entities", names=["Elm Press"])
    assert shown(only_a.call("search_nodes", query="leases")) == {}


def test_facts_keep_the_laws_of_budget_and_frame(world: World, facts: Facts) -> None:
    long = ("</record> zincograph & <b> " * 30).strip()
    fact_id = facts.make("prints", long)
    for limit in LIMITS:
        for extra in ({}, {"render": "block"}):
            response = facts.agent.post(
                "search_nodes", {"query": "zincograph", "budget": {"limit": limit}, **extra}
            )
            if response.status_code == 422:
                assert response.json()["type"] == "/errors/budget_too_small"
                continue
            assert len(response.text) <= limit
            if extra:
                assert "</record>" not in response.text.replace("\\u003c", "")
                assert f'"{fact_id}"' in response.text or limit <= 1_500
            else:
                answer = response.json()
                assert answer["accounting"]["budget"]["used"] == len(response.text)
                assert next(iter(answer)) == "framing"
                for fact in shown(answer).values():
                    window = fact["window"]
                    whole = f"Elm Press prints {long}".strip()
                    assert fact["text"] == (whole[window["start"] : window["end"]] if window else whole)
    small = facts.agent.call("search_nodes", query="zincograph", budget={"limit": 1_500})
    assert (small["accounting"]["windowed"], len(shown(small))) == (1, 1)


def test_the_past_shows_the_facts_that_were_in_force(facts: Facts) -> None:
    def now() -> str:
        time.sleep(0.02)
        at = time.time()
        time.sleep(0.02)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1e6):06d}Z"

    def search(**options: str) -> Any:
        query = {"query": "which zincographs or lithographs does it print?", "pointers": True}
        return answer_of(facts.agent, "search_nodes", query | options)

    told = [search()]
    before = now()
    old = facts.make("prints", "zincographs")
    between = now()
    told.append(search())
    new = facts.make("prints", "lithographs")
    facts.govern(old, "supersede", by=new)
    after = now()
    told.append(search())
    time.sleep(2.1)

    def then(at: str) -> dict[str, str]:
        opened = facts.agent.call("open_nodes", names=["Elm Press"], as_of=at)
        return {fact_id: fact["fact"]["status"] for fact_id, fact in shown(opened).items()}

    assert (then(before), then(between), then(after)) == ({}, {old: "active"}, {new: "active"})
    assert [set(shown(answer)) & {old, new} for answer in told] == [set(), {old}, {new}]
    assert [search(as_of=at) for at in (before, between, after)] == told


def test_pages_of_an_entity_hold_every_fact_and_observation_once(facts: Facts) -> None:
    made = {facts.make("prints", f"zincograph {i} {'x' * 150}") for i in range(8)}
    found: list[str] = []
    cursor = None
    while True:
        answer = facts.agent.call(
            "open_nodes",
            names=["Elm Press"],
            budget={"limit": 2_600},
            **({"cursor": cursor} if cursor else {}),
        )
        found += [text["id"] for record in answer["entities"] for text in record["observations"]]
        cursor = answer["next_cursor"]
        if cursor is None:
            break
    assert len(found) == len(set(found)) == 11
    assert {text for text in found if text.startswith("fact_")} == made
