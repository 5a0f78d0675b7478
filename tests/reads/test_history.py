"""get_history and list_changes: all that happened, in order, to those who may see the scope (spec 01, 03; fault 20).

Goal: a feed that is followed while others write misses nothing, not even what a transaction commits late. Method: over
HTTP, and for the late commit with a transaction of the test's own on the same database, marked as a write of ours.
"""

import threading
import time
from typing import Any

import neo4j

from tests.conftest import Database, World
from tests.harness.service_process import Caller


def settled(agent: Caller, scope: str, since: str | None, expected: int) -> tuple[list[dict[str, Any]], str]:
    """The changes of a scope after a cursor, as soon as there are so many. `shared` has writers of other tests."""
    found: list[dict[str, Any]] = []
    deadline = time.monotonic() + 60
    while len(found) < expected and time.monotonic() < deadline:
        page = agent.call("list_changes", scopes=[scope], **({"since": since} if since else {}))
        found += page["changes"]
        since = page["next_cursor"]
        time.sleep(0.05)
    assert since is not None
    return found, since


def test_20_history_shows_that_a_fact_was_added_retired_and_revived(agent: Caller) -> None:
    agent.call(
        "create_entities", entities=[{"name": "Pine", "aliases": ["Fir"], "observations": ["is green"]}]
    )
    agent.call("delete_observations", items=[{"entity": "Pine", "contents": ["is green"]}])
    agent.call("add_observations", items=[{"entity": "Pine", "contents": ["is green"]}])
    agent.call("update_entities", items=[{"entity": "Pine", "name": "Spruce"}])
    agent.call("delete_entities", names=["Spruce"])
    history = agent.call("get_history", entity="Spruce")["transitions"]
    told = [(t["target"]["kind"], t["op"]) for t in history]
    assert [op for kind, op in told if kind == "observation"] == ["create", "retire", "revive"]
    assert [op for kind, op in told if kind == "entity"] == ["create", "update", "retire"]
    update = next(t for t in history if t["op"] == "update")
    assert (update["before"]["name"], update["after"]["name"]) == ("Pine", "Spruce")
    assert history == sorted(history, key=lambda t: (t["at"], t["revision"], t["id"]))
    paged: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = agent.call("get_history", entity="Spruce", limit=2, **({"cursor": cursor} if cursor else {}))
        paged += page["transitions"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert paged == history


def test_history_is_gated_by_scope(world: World) -> None:
    one, both = world.agent(a="read,write"), world.agent(a="read", b="read,write")
    made = one.call("create_entities", entities=[{"name": "Oak"}])["results"][0]
    both.call("add_observations", scope=world.scope("b"), items=[{"entity": "Oak", "contents": ["private"]}])
    assert "private" not in one.post("get_history", {"entity": "Oak"}).text
    assert "private" in both.post("get_history", {"entity": "Oak"}).text
    outside = world.agent(c="read,write")
    foreign = outside.post("get_history", {"entity": {"id": made["id"]}})
    missing = outside.post("get_history", {"entity": {"id": "ent_" + "0" * 32}})
    assert (foreign.status_code, missing.status_code) == (404, 404)


def test_the_feed_gives_each_change_once_and_stands_still_at_its_end(world: World) -> None:
    agent, scope = world.agent(a="read,write"), world.scope("a")
    agent.call("create_entities", entities=[{"name": "Elm", "observations": ["one", "two"]}])
    first, cursor = settled(agent, scope, None, 3)
    assert [c["op"] for c in first] == ["create"] * 3
    again = agent.call("list_changes", scopes=[scope], since=cursor)
    assert (again["changes"], again["more"], again["next_cursor"]) == ([], False, cursor)
    world.agent(b="read,write").call("create_entities", entities=[{"name": "Foreign"}])
    agent.call("delete_entities", names=["Elm"])
    second, _ = settled(agent, scope, cursor, 1)
    assert [(c["op"], c["target"]["kind"]) for c in second] == [("retire", "entity")]


def test_a_follower_misses_nothing_while_two_write(world: World) -> None:
    reader = world.agent(a="read,write")
    writers = [world.agent(a="read,write") for _ in range(2)]

    def write(caller: Caller, number: int) -> None:
        for i in range(15):
            caller.call("create_entities", entities=[{"name": f"W{number} {i}", "observations": ["x", "y"]}])

    threads = [threading.Thread(target=write, args=(caller, i)) for i, caller in enumerate(writers)]
    for thread in threads:
        thread.start()
    found, _ = settled(reader, world.scope("a"), None, 90)
    for thread in threads:
        thread.join()
    assert len({c["id"] for c in found}) == len(found) == 90


def test_what_commits_late_is_not_skipped(world: World, database: Database) -> None:
    """A write that began before another and commits after it: the follower has seen neither until both are there."""
    agent = world.agent(a="read,write")
    scope = world.scope("a")
    with (
        neo4j.GraphDatabase.driver(database.bolt_url, auth=(database.user, database.password)) as driver,
        driver.session() as session,
        session.begin_transaction(metadata={"graphsvc": "write"}) as late,
    ):
        late.run(
            "CREATE (:Transition {id: $id, target_id: 'x', target_kind: 'entity', scope: $scope, revision: 1,"
            " op: 'create', at: datetime.transaction('Z')})",
            id=f"trn_late_{scope}",
            scope=scope,
        ).consume()
        time.sleep(0.1)
        agent.call("create_entities", entities=[{"name": "Early"}])
        time.sleep(0.6)
        page = agent.call("list_changes", scopes=[scope])
        assert page["changes"] == []
        late.commit()
        session.run("MATCH (t:Transition {id: $id}) RETURN t", id=f"trn_late_{scope}").consume()
    found, _ = settled(agent, scope, page["next_cursor"], 2)
    assert [c["target"]["kind"] for c in found] == ["entity", "entity"]
    assert found[0]["target"]["id"] == "x"
