"""Reported faults of reads and their near misses, each a small story with the right answer (see test_reported_faults).

Goal and method as there; here are those of expansion, paging and time: cases 18, 22, 23 and what was listed under
them. Case 5 is in tests/reads/test_read_graph.py.
"""

import neo4j
import pytest

from tests.conftest import Database, World
from tests.harness.service_process import Caller


def test_18_a_relationship_made_by_hand_across_scopes_shows_nothing(world: World, database: Database) -> None:
    one, two = world.agent(a="read,write"), world.agent(b="read,write")
    elm = one.call("create_entities", entities=[{"name": "Elm", "observations": ["a tree"]}])["results"][0][
        "id"
    ]
    fir = two.call("create_entities", entities=[{"name": "Fir", "observations": ["a tree"]}])["results"][0][
        "id"
    ]
    payloads = {
        "open_nodes": {"names": ["Elm"], "neighbours": True},
        "search_nodes": {"query": "tree near Elm", "pointers": True},
        "get_history": {"entity": "Elm"},
        "find_by_title": {"phrase": "Fir Elm"},
    }
    before = {operation: one.post(operation, payload).text for operation, payload in payloads.items()}
    with (
        neo4j.GraphDatabase.driver(database.bolt_url, auth=(database.user, database.password)) as driver,
        driver.session() as session,
    ):
        session.run(
            "MATCH (a:Entity {id: $a}), (b:Entity {id: $b}) CREATE (a)-[:RELATES_TO {id: $id, key: $id, scope: $scope,"
            " type: 'by hand', type_key: 'by_hand', revision: 1}]->(b)",
            a=elm,
            b=fir,
            id=f"rel_by_hand_{elm}",
            scope=world.scope("a"),
        ).consume()
    for operation, payload in payloads.items():
        assert one.post(operation, payload).text == before[operation], operation
    page = one.call("read_graph")
    assert (page["relations"], page["totals"]["relations"]) == ([], 0)


def test_22_one_relation_comes_once_and_keeps_its_direction(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Hazel"}, {"name": "Iris"}])
    agent.call("create_relations", relations=[{"from": "Hazel", "type": "supplies", "to": "Iris"}])
    alone = agent.call("open_nodes", names=["Iris"], neighbours=True)["entities"][0]["relations"]
    assert [(r["direction"], r["entity"]["name"]) for r in alone] == [("in", "Hazel")]
    both = agent.call("open_nodes", names=["Iris", "Hazel"], neighbours=True)["entities"]
    assert sum(len(record["relations"]) for record in both) == 1
    page = agent.call("read_graph")
    assert [(r["from"]["name"], r["type"], r["to"]["name"]) for r in page["relations"]] == [
        ("Hazel", "supplies", "Iris")
    ]


def test_22_a_relation_to_itself_comes_once(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Loop"}])
    agent.call(
        "create_relations", relations=[{"from": "Loop", "type": "quotes", "to": "Loop"}], allow_self=True
    )
    assert len(agent.call("read_graph")["relations"]) == 1


def test_23_times_have_a_zone_and_are_ordered_as_instants(agent: Caller) -> None:
    times = ["2026-03-01T10:00:00+08:00", "2026-03-01T10:00:00Z", "2026-03-01T02:00:00.000Z"]
    naive = {"text": "dated naively", "observed_at": "2026-03-01T10:00:00"}
    contents = [naive, *({"text": f"dated {i}", "observed_at": at} for i, at in enumerate(times))]
    agent.call("create_entities", entities=[{"name": "Dated"}])
    answer = agent.call("add_observations", items=[{"entity": "Dated", "contents": contents}])["results"][0]
    assert [o["outcome"] for o in answer["observations"]] == ["invalid", "added", "added", "added"]
    for since, expected in (
        ("2026-03-01T02:00:00Z", 3),
        ("2026-03-01T10:00:00.000+08:00", 3),
        ("2026-03-01T03:00:00Z", 1),
    ):
        found = agent.call("search_nodes", query="dated", filters={"since": since})["evidence"]
        assert sum(len(record["observations"]) for record in found) == expected, since
    response = agent.post("search_nodes", {"query": "dated", "filters": {"since": "2026-03-01T10:00:00"}})
    assert response.status_code == 422


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_an_empty_name_is_refused(agent: Caller, name: str) -> None:
    answer = agent.call("create_entities", entities=[{"name": name}])
    assert answer["results"][0]["outcome"] == "invalid"


@pytest.mark.parametrize("operation", ["read_graph", "find_by_title", "get_history", "list_changes"])
def test_a_limit_of_zero_is_refused_and_never_means_everything(agent: Caller, operation: str) -> None:
    needed = {"find_by_title": {"phrase": "x"}, "get_history": {"entity": "x"}}.get(operation, {})
    assert agent.post(operation, {**needed, "limit": 0}).status_code == 422


def test_a_value_of_eight_thousand_characters_breaks_no_index(agent: Caller) -> None:
    text = "word " * 1_599 + "ended"
    answer = agent.call("create_entities", entities=[{"name": "Long", "observations": [text]}])["results"][0]
    assert answer["observations"][0]["outcome"] == "added"
    record = agent.call("read_graph")["entities"][0]
    assert record["observations"][0]["text"] == text


def test_changes_of_one_instant_are_not_lost_between_pages(agent: Caller) -> None:
    agent.call(
        "create_entities", entities=[{"name": "Batch", "observations": [f"fact {i}" for i in range(9)]}]
    )
    seen: list[str] = []
    cursor = None
    while True:
        page = agent.call("get_history", entity="Batch", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [t["id"] for t in page["transitions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 10
