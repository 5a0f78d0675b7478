"""Tasks and notes over HTTP: made, found by external id, changed, retired, revived (spec 01, 07).

Method: real service, real Neo4j, scopes of its own a test.
"""

from tests.conftest import World
from tests.harness.service_process import Caller


def outcomes(answer: dict[str, object]) -> list[str]:
    """The outcomes of an answer, in order."""
    return [result["outcome"] for result in answer["results"]]  # type: ignore[index, union-attr]


def test_an_external_id_is_one_task_a_scope_and_one_bad_item_spoils_no_other(agent: Caller) -> None:
    answer = agent.call(
        "create_tasks",
        tasks=[
            {
                "title": "Order the boxes",
                "external_id": "JIRA-7",
                "body": "ask Acme Print",
                "due": "2026-12-01",
            },
            {"title": " "},
            {"title": "Again", "external_id": "JIRA-7"},
            {"title": "Same title"},
            {"title": "Same title"},
            {"title": "x", "status": "never"},
        ],
    )
    assert outcomes(answer) == ["created", "invalid", "existing", "created", "created", "invalid"]
    ids = [result.get("id") for result in answer["results"]]
    assert ids[2] == ids[0]
    assert ids[3] != ids[4]
    assert ids[0].startswith("task_")
    again = agent.call("create_tasks", tasks=[{"title": "Other", "external_id": "JIRA-7"}])
    assert outcomes(again) == ["existing"]
    # A note with the same external id is another thing.
    note = agent.call("create_notes", notes=[{"title": "Other", "external_id": "JIRA-7"}])
    assert outcomes(note) == ["created"]
    assert note["results"][0]["id"].startswith("note_")


def test_retired_tasks_revive_with_the_same_id(agent: Caller) -> None:
    task = agent.call("create_tasks", tasks=[{"title": "Paint", "external_id": "p"}])["results"][0]["id"]
    note = agent.call("create_notes", notes=[{"title": "Colours"}])["results"][0]["id"]
    assert agent.call("retire", ids=[task, note, task, "task_" + "0" * 32, "nonsense"])["retired"] == 2
    assert agent.call("retire", ids=[task, note])["retired"] == 0
    assert outcomes(agent.call("update_tasks", items=[{"task": task, "title": "No"}])) == ["skipped"]
    assert outcomes(agent.call("create_tasks", tasks=[{"title": "Paint", "external_id": "p"}])) == ["revived"]
    assert agent.call("revive", ids=[task, note])["revived"] == 1
    assert outcomes(agent.call("update_tasks", items=[{"task": "p", "status": "done"}])) == ["updated"]


def test_updates_are_by_id_or_external_id_and_only_where_the_caller_may_write(world: World) -> None:
    writer, reader = world.agent(a="read,write"), world.agent(b="read,write", a="read")
    task = writer.call("create_tasks", tasks=[{"title": "Lay tiles", "external_id": "t", "body": "blue"}])[
        "results"
    ][0]
    items = [{"task": {"id": task["id"]}, "status": "doing", "body": None}, {"task": "none", "title": "x"}]
    assert outcomes(writer.call("update_tasks", items=items)) == ["updated", "skipped"]
    assert outcomes(reader.call("update_tasks", items=[{"task": task["id"], "title": "x"}])) == ["skipped"]
    assert reader.call("retire", ids=[task["id"]])["retired"] == 0
    # One external id in two scopes: the caller's own scope decides.
    own = reader.call("create_tasks", tasks=[{"title": "Mine", "external_id": "t"}])["results"][0]
    assert own["outcome"] == "created"
    assert (
        reader.call("update_tasks", items=[{"task": "t", "title": "Mine too"}])["results"][0]["id"]
        == own["id"]
    )


def test_tasks_are_no_search_evidence(agent: Caller) -> None:
    agent.call("create_tasks", tasks=[{"title": "Zanzibar voyage"}])
    agent.call("create_notes", notes=[{"title": "Zanzibar"}])
    agent.call("create_entities", entities=[{"name": "Ferry", "observations": ["sails to Zanzibar"]}])
    answer = agent.call("search_nodes", query="Zanzibar voyage")
    assert [hit["entity"]["name"] for hit in answer["evidence"]] == ["Ferry"]
    assert answer["accounting"]["candidates"] == 1
