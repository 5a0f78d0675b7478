"""Links: made, upgraded, removed, rejected, listed both ways, exported; nothing links by itself (spec 07).

Method: real service, real Neo4j; the one-edge-a-pair promise is tried against the database constraint itself.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller


@pytest.fixture
def board(agent: Caller) -> Caller:
    """An agent with two entities and a task about one of them."""
    agent.call(
        "create_entities",
        entities=[
            {
                "name": "Acme Print",
                "aliases": ["Acme"],
                "observations": ["Acme Print offers same-day turnaround"],
            },
            {"name": "Paul Pack", "observations": ["packs boxes"]},
        ],
    )
    agent.call(
        "create_tasks", tasks=[{"title": "Order the boxes", "external_id": "J", "body": "ask Acme Print"}]
    )
    return agent


def linked(caller: Caller, **options: object) -> list[tuple[str, str]]:
    """Names and origins of the links of task J."""
    answer = caller.call("get_task_links", task="J", **options)
    return [(link["entity"]["name"], link["origin"]) for link in answer["links"]]


def test_a_link_is_made_once_removed_with_its_evidence_and_revived(board: Caller) -> None:
    first = board.call("link_task_entity", task="J", entity="Acme")
    assert first["outcome"] == "created"
    assert board.call("link_task_entity", task="J", entity="Acme Print")["outcome"] == "existing"
    assert linked(board) == [("Acme Print", "manual")]
    tasks = board.call("get_entity_tasks", entity="Acme Print")["links"]
    assert [(link["id"], link["task"]["external_id"]) for link in tasks] == [(first["id"], "J")]
    pointers = board.call("search_nodes", query="Acme Print", pointers=True)["pointers"]["items"]
    assert pointers[0]["tasks"] == 1

    assert board.call("unlink_task_entity", task="J", entity="Acme", reason="chose another")["removed"] == 1
    assert board.call("unlink_task_entity", task="J", entity="Acme")["removed"] == 0
    assert linked(board) == []
    removed = board.call("get_task_links", task="J", include_removed=True)["links"][0]
    assert (removed["removal"], removed["reason"]) == ("unlinked", "chose another")
    revived = board.call("link_task_entity", task="J", entity="Acme")
    assert (revived["outcome"], revived["id"]) == ("revived", first["id"])


def test_an_automatic_link_needs_a_service_is_upgraded_by_hand_and_keeps_its_score(
    board: Caller, operator: Caller
) -> None:
    refused = board.post("link_task_entity", {"task": "J", "entity": "Acme", "origin": "auto", "score": 0.7})
    assert refused.status_code == 403
    task = board.call("get_task_links", task="J")
    assert task["links"] == []
    scope = board.call("whoami")["default_scope"]
    auto = operator.call(
        "link_task_entity",
        scope=scope,
        task="J",
        entity="Acme",
        origin="auto",
        score=0.7,
        signals={"mention": 1.0},
        scorer_version="loader-3",
    )
    assert auto["outcome"] == "created"
    assert linked(board) == [("Acme Print", "auto")]
    assert board.call("link_task_entity", task="J", entity="Acme")["outcome"] == "upgraded"
    link = board.call("get_task_links", task="J")["links"][0]
    assert (link["origin"], link["score"], link["scorer_version"]) == ("manual", 0.7, "loader-3")


def test_rejecting_suppresses_the_pair_and_a_manual_link_cannot_be_rejected(
    board: Caller, operator: Caller
) -> None:
    suggested = board.call("suggest_task_links", task="J")["suggestions"]
    assert suggested[0]["entity"]["name"] == "Acme Print"
    assert board.call("reject_suggestion", task="J", entity="Acme", reason="no")["outcome"] == "rejected"
    assert board.call("reject_suggestion", task="J", entity="Acme")["outcome"] == "existing"
    assert "Acme Print" not in [
        s["entity"]["name"] for s in board.call("suggest_task_links", task="J")["suggestions"]
    ]
    assert linked(board) == []
    scope = board.call("whoami")["default_scope"]
    auto = {"scope": scope, "task": "J", "entity": "Acme", "origin": "auto", "score": 0.9}
    assert operator.call("link_task_entity", **auto)["outcome"] == "suppressed"
    lines = [json.loads(line) for line in board.post("export_link_labels", {}).text.splitlines()]
    assert lines[0]["framing"]["version"] == 1
    assert [(line["label"], line["removal"]) for line in lines[1:-1]] == [("rejected", "rejected")]
    assert lines[1]["signals"]["mention"]["raw"] == 1.0
    assert lines[-1] == {"labels": 1, "next_cursor": None}
    # A person may still link it; then it can be unlinked, not rejected.
    assert board.call("link_task_entity", task="J", entity="Acme")["outcome"] == "revived"
    refused = board.post("reject_suggestion", {"task": "J", "entity": "Acme"})
    assert (refused.status_code, refused.json()["type"]) == (409, "/errors/conflict")
    assert linked(board) == [("Acme Print", "manual")]


def test_unlinking_a_well_scored_link_keeps_a_label_and_another_does_not(board: Caller) -> None:
    for entity in ("Acme Print", "Paul Pack"):
        board.call("link_task_entity", task="J", entity=entity)
        board.call("unlink_task_entity", task="J", entity=entity)
    removed = board.call("get_task_links", task="J", include_removed=True)["links"]
    lines = [json.loads(line) for line in board.post("export_link_labels", {}).text.splitlines()[1:-1]]
    assert {link["id"] for link in removed if link["score"] >= 0.5} == {line["link_id"] for line in lines}
    names = [s["entity"]["name"] for s in board.call("suggest_task_links", task="J")["suggestions"]]
    assert "Acme Print" not in names


def test_links_page_without_gaps_and_follow_the_life_of_both_ends(agent: Caller) -> None:
    names = [f"Thing {i}" for i in range(7)]
    agent.call("create_entities", entities=[{"name": name} for name in names])
    agent.call("create_tasks", tasks=[{"title": "All", "external_id": "J"}])
    for name in names:
        agent.call("link_task_entity", task="J", entity=name)
    found: list[str] = []
    cursor = None
    while True:
        page = agent.call("get_task_links", task="J", limit=3, cursor=cursor)
        found += [link["entity"]["name"] for link in page["links"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == names
    agent.call("delete_entities", names=["Thing 3"])
    assert ("Thing 3", "manual") not in linked(agent)
    small = agent.call("get_task_links", task="J", budget={"unit": "chars", "limit": 1500})
    assert small["accounting"]["budget"]["used"] <= 1500
    assert small["next_cursor"] is not None
    assert agent.post("get_task_links", {"task": "J", "budget": {"limit": 50}}).status_code == 422
    task = agent.call("create_tasks", tasks=[{"title": "All", "external_id": "J"}])["results"][0]["id"]
    agent.call("retire", ids=[task])
    assert agent.call("get_entity_tasks", entity="Thing 1")["links"] == []
    assert agent.post("get_task_links", {"task": "J"}).status_code == 404


def test_writers_racing_on_a_pair_make_one_edge(board: Caller, database: Database) -> None:
    def link(_: int) -> str:
        return str(board.call("link_task_entity", task="J", entity="Acme")["outcome"])

    with ThreadPoolExecutor(8) as pool:
        found = sorted(pool.map(link, range(16)))
    assert found == ["created"] + ["existing"] * 15
    key = cypher(
        database,
        "MATCH (:Task)-[l:LINKED_TO {scope: $s}]->() RETURN l.key AS key",
        s=board.call("whoami")["default_scope"],
    )
    assert len(key) == 1
    with pytest.raises(Exception, match="ConstraintValidationFailed"):
        cypher(
            database,
            "MATCH (t:Task)-[l:LINKED_TO {key: $key}]->(e) CREATE (t)-[:LINKED_TO {key: $key, id: 'forged'}]->(e)",
            key=key[0]["key"],
        )


def test_foreign_tasks_and_entities_are_as_missing_ones(world: World) -> None:
    owner, other = world.agent(a="read,write"), world.agent(b="read,write")
    owner.call("create_entities", entities=[{"name": "Secret Mill"}])
    task = owner.call("create_tasks", tasks=[{"title": "Visit the Secret Mill"}])["results"][0]["id"]
    owner.call("link_task_entity", task=task, entity="Secret Mill")
    other.call("create_tasks", tasks=[{"title": "Visit the Secret Mill", "external_id": "mine"}])
    other.call("create_entities", entities=[{"name": "Inn"}])
    missing = "task_" + "0" * 32
    for operation, field in (("get_task_links", {}), ("suggest_task_links", {})):
        foreign, unknown = (other.post(operation, {"task": ref, **field}) for ref in (task, missing))
        assert foreign.status_code == unknown.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    for ref in (task, missing):
        assert other.call("link_task_entity", task=ref, entity="Inn")["outcome"] == "skipped"
        assert other.call("unlink_task_entity", task=ref, entity="Inn")["removed"] == 0
    assert other.call("link_task_entity", task="mine", entity="Secret Mill")["outcome"] == "skipped"
    assert other.call("suggest_task_links", task="mine")["suggestions"] == []
    # One who reads both but writes only elsewhere changes nothing.
    reader = world.agent(b="read,write", a="read")
    assert reader.call("unlink_task_entity", task=task, entity="Secret Mill")["removed"] == 0
    assert [link["entity"]["name"] for link in reader.call("get_task_links", task=task)["links"]] == [
        "Secret Mill"
    ]
