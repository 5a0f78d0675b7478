"""Writes over HTTP: outcomes in order, dedupe, revive, resolution, references, atomic batches, idempotency.

Goal: spec 01 and 02 hold as a client sees them. Method: real service, real Neo4j, one scope a test.
"""

from tests.conftest import World
from tests.harness.service_process import Caller


def outcomes(answer: dict[str, object]) -> list[str]:
    """The outcomes of an answer, in order."""
    return [result["outcome"] for result in answer["results"]]  # type: ignore[index, union-attr]


def test_outcomes_come_in_input_order_and_one_bad_item_spoils_no_other(agent: Caller) -> None:
    answer = agent.call(
        "create_entities",
        entities=[
            {
                "name": "Acme Print",
                "kind": "organization",
                "observations": ["Open on Mondays", "", "Open on Mondays"],
            },
            {"name": "  "},
            {"name": "acme  PRINT", "observations": ["Hall 4"]},
            {"name": "Paul Pack", "colour": "red"},
        ],
    )
    assert outcomes(answer) == ["created", "invalid", "existing", "invalid"]
    first, blank, again, unknown = answer["results"]
    assert [o["outcome"] for o in first["observations"]] == ["added", "invalid", "duplicate"]
    assert again["id"] == first["id"]
    assert again["observations"][0]["outcome"] == "added"
    assert blank["errors"][0]["path"] == "$.name"
    assert unknown["errors"] == [{"path": "$.colour", "reason": "is not a field of this request"}]
    assert answer["counts"] == {"created": 1, "existing": 1, "invalid": 2}


def test_atomic_batch_with_a_problem_writes_nothing_and_lists_every_problem(agent: Caller) -> None:
    response = agent.post(
        "create_entities",
        {
            "atomic": True,
            "entities": [{"name": "Good"}, {"name": ""}, {"name": "Also", "observations": [" "]}],
        },
    )
    assert response.status_code == 422
    assert response.json()["type"] == "/errors/batch_rejected"
    assert [error["path"] for error in response.json()["errors"]] == [
        "$.entities[1].name",
        "$.entities[2].observations[0]",
    ]
    assert agent.call("open_nodes", names=["Good", "Also"])["missing"] == ["Good", "Also"]


def test_retired_things_revive_with_the_same_id(agent: Caller) -> None:
    created = agent.call(
        "create_entities", entities=[{"name": "Elm", "observations": ["tall"]}, {"name": "Fir"}]
    )
    relation = agent.call("create_relations", relations=[{"from": "Elm", "type": "near", "to": "Fir"}])
    assert (
        agent.call("delete_relations", relations=[{"from": "Elm", "type": "Near", "to": "Fir"}])["retired"]
        == 1
    )
    assert agent.call("delete_observations", items=[{"entity": "Elm", "contents": ["tall"]}])["retired"] == 1
    assert agent.call("delete_entities", names=["Elm"])["retired"] == 1
    assert agent.call("delete_entities", names=["Elm", "Nobody"])["retired"] == 0
    assert agent.call("open_nodes", names=["Elm"])["missing"] == ["Elm"]

    again = agent.call("create_entities", entities=[{"name": "elm"}])
    assert outcomes(again) == ["revived"]
    assert again["results"][0]["id"] == created["results"][0]["id"]
    # Retired on its own, the observation stays retired when its entity revives.
    assert agent.call("open_nodes", names=["Elm"])["entities"][0]["observations"] == []
    added = agent.call("add_observations", items=[{"entity": "Elm", "contents": ["tall"]}])
    assert added["results"][0]["observations"][0]["outcome"] == "revived"
    assert added["results"][0]["observations"][0]["id"] == created["results"][0]["observations"][0]["id"]
    revived = agent.call("create_relations", relations=[{"from": "Elm", "type": "near", "to": "Fir"}])
    assert revived["results"][0] == {"index": 0, "outcome": "revived", "id": relation["results"][0]["id"]}


def test_a_name_in_another_visible_scope_is_existing_and_two_are_ambiguous(world: World) -> None:
    both = world.agent(a="read,write", b="read,write", c="read,write")
    a, b, c = world.scope("a"), world.scope("b"), world.scope("c")
    original = both.call("create_entities", scope=b, entities=[{"name": "Harbor", "kind": "place"}])
    found = both.call(
        "create_entities",
        scope=a,
        entities=[{"name": "harbor", "kind": "ship", "observations": ["opens in May"]}],
    )
    assert found["results"][0]["outcome"] == "existing"
    assert found["results"][0]["id"] == original["results"][0]["id"]
    assert found["results"][0]["scope"] == b
    assert found["results"][0]["kind_conflict"] is True
    note = both.call("open_nodes", names=["Harbor"])["entities"][0]["observations"][0]
    assert note["scope"] == a

    own = both.call("create_entities", scope=a, resolve="own_scope", entities=[{"name": "Harbor"}])
    assert outcomes(own) == ["created"]
    assert outcomes(both.call("create_entities", scope=c, entities=[{"name": "Harbor"}])) == ["ambiguous"]

    stranger = world.agent(c="read,write")
    assert outcomes(stranger.call("create_entities", entities=[{"name": "Harbor"}])) == ["created"]


def test_a_scope_without_write_answers_as_one_that_is_not_there(world: World) -> None:
    reader = world.agent(a="read", b="read,write")
    other = world.scope("other")
    for scope in (world.scope("a"), other, "project:never-made"):
        response = reader.post("create_entities", {"scope": scope, "entities": [{"name": "X"}]})
        body = response.json()
        body.pop("request_id")
        assert (response.status_code, body["type"]) == (404, "/errors/scope_not_found")
        assert body["errors"] == [{"path": "$.scope", "reason": "no such scope to write to"}]


def test_relations_need_both_ends_and_keep_their_type_as_typed(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Alder"}, {"name": "Birch"}])
    answer = agent.call(
        "create_relations",
        relations=[
            {
                "from": "Alder",
                "type": "non-compliant",
                "to": "Birch",
                "properties": {"since": 2021, "tags": ["a", "b"]},
            },
            {"from": "Alder", "type": "co-owner of", "to": "Birch"},
            {"from": "Alder", "type": "a/b", "to": "Birch"},
            {"from": "Alder", "type": "knows", "to": "Nobody"},
            {"from": "Alder", "type": "knows", "to": "Alder"},
            {"from": "Alder", "type": "Co-Owner-Of", "to": "Birch"},
        ],
    )
    assert outcomes(answer) == ["created", "created", "created", "skipped", "invalid", "existing"]
    relations = agent.call("open_nodes", names=["Alder", "Birch"])["entities"][0]["relations"]
    assert [relation["type"] for relation in relations] == ["non-compliant", "co-owner of", "a/b"]
    assert relations[0]["properties"] == {"since": 2021, "tags": ["a", "b"]}


def test_renaming_keeps_the_old_name_as_an_alias_and_refuses_a_taken_one(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Acme Print"}, {"name": "Paul Pack"}])
    answer = agent.call(
        "update_entities",
        items=[
            {"entity": "Acme Print", "name": "Acme Printing", "kind": "company"},
            {"entity": "Acme Printing", "name": "paul pack"},
            {"entity": "Nobody", "name": "X"},
        ],
    )
    assert outcomes(answer) == ["updated", "conflict", "skipped"]
    entity = agent.call("open_nodes", names=["Acme Print"])["entities"][0]["entity"]
    assert (entity["name"], entity["kind"], entity["aliases"]) == ("Acme Printing", "company", ["Acme Print"])


def test_a_shared_alias_is_reported_and_points_to_nobody_and_a_name_beats_it(agent: Caller) -> None:
    agent.call(
        "create_entities",
        entities=[{"name": "Acme Print", "aliases": ["Acme"]}, {"name": "Acme Paint"}, {"name": "Apex"}],
    )
    answer = agent.call(
        "add_aliases",
        items=[
            {"entity": "Acme Paint", "aliases": ["Acme", "Paint"]},
            {"entity": "Apex", "aliases": ["Acme Print"]},
        ],
    )
    assert answer["results"][0]["aliases"] == [
        {"index": 0, "outcome": "added", "shared": True},
        {"index": 1, "outcome": "added"},
    ]
    opened = agent.call("open_nodes", names=["Acme", "paint", "Acme Print"])
    assert opened["ambiguous"] == ["Acme"]
    assert [record["entity"]["name"] for record in opened["entities"]] == ["Acme Paint", "Acme Print"]
    assert (
        agent.call("remove_aliases", items=[{"entity": "Acme Paint", "aliases": ["Acme", "none"]}])["retired"]
        == 1
    )
    assert agent.call("open_nodes", names=["Acme"])["ambiguous"] == []


def test_a_repeated_idempotency_key_answers_with_the_first_outcomes(agent: Caller) -> None:
    payload = {"entities": [{"name": "Once", "observations": ["a fact"]}]}
    first = agent.post("create_entities", payload, Idempotency_Key="k-1")
    again = agent.post("create_entities", payload, Idempotency_Key="k-1")
    assert first.json()["results"][0]["outcome"] == "created"
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json()["results"] == first.json()["results"]
    other = agent.post("create_entities", {"entities": [{"name": "Twice"}]}, Idempotency_Key="k-1")
    assert (other.status_code, other.json()["type"]) == (409, "/errors/idempotency_mismatch")
    refused = agent.post(
        "create_entities", {"atomic": True, "entities": [{"name": ""}]}, Idempotency_Key="k-2"
    )
    assert refused.status_code == 422
    corrected = agent.post("create_entities", {"entities": [{"name": "Thrice"}]}, Idempotency_Key="k-2")
    assert corrected.json()["results"][0]["outcome"] == "created"
