"""A text that looks like a secret is stored, and its outcome says so (spec 02, 06).

Method: one secret and its harmless neighbour through every write that keeps text, over HTTP on a real service.
"""

from typing import Any

import pytest

from graphsvc.domain.safety import WARNING_CODE, secret_warning
from tests.harness.service_process import Caller

SECRET = "deploy with\npassword: hunter22x9"
HARMLESS = "deploy with the password from the vault"


def warned(field: str, line: int = 2) -> dict[str, Any]:
    return {"code": WARNING_CODE, "findings": [{"kind": "password", "field": field, "line": line}]}


def test_observations_are_kept_and_warned_of(agent: Caller) -> None:
    made = agent.call("create_entities", entities=[{"name": "Elm", "observations": [SECRET, HARMLESS]}])
    outcomes = made["results"][0]["observations"]
    assert [outcome.get("warning") for outcome in outcomes] == [warned("text"), None]
    added = agent.call("add_observations", items=[{"entity": "Elm", "contents": [SECRET]}])
    outcome = added["results"][0]["observations"][0]
    assert (outcome["outcome"], outcome["warning"]) == ("duplicate", warned("text"))
    assert "hunter22" not in str(made) + str(added), "an outcome never holds the secret"
    opened = agent.call("open_nodes", names=["Elm"])["entities"][0]
    assert SECRET in [observation["text"] for observation in opened["observations"]]


def test_tasks_notes_claims_and_documents_too(agent: Caller) -> None:
    tasks = agent.call("create_tasks", tasks=[{"title": "t", "body": SECRET}, {"title": HARMLESS}])["results"]
    assert [task.get("warning") for task in tasks] == [warned("body"), None]
    updated = agent.call("update_tasks", items=[{"task": tasks[1]["id"], "body": SECRET}])["results"][0]
    assert updated["warning"] == warned("body")
    notes = agent.call("create_notes", notes=[{"title": "password: hunter22x9"}])["results"]
    assert notes[0]["warning"] == warned("title", 1)
    agent.call("create_entities", entities=[{"name": "Elm"}])
    claims = [
        {"subject": "Elm", "predicate": "has", "object": "password: hunter22x9"},
        {"subject": "Elm", "predicate": "is", "object": HARMLESS},
    ]
    results = agent.call("propose_claims", claims=claims)["results"]
    assert [result.get("warning") for result in results] == [warned("object", 1), None]
    assert agent.call("put_document", title="t", text=SECRET)["warning"] == warned("text")
    assert "warning" not in agent.call("put_document", title="t", text=HARMLESS)


def test_a_repeated_request_is_warned_again(agent: Caller) -> None:
    body = {"notes": [{"title": "t", "body": SECRET}]}
    first, second = (agent.post("create_notes", body, Idempotency_Key="k").json() for _ in range(2))
    assert first["results"][0]["warning"] == second["results"][0]["warning"] == warned("body")


@pytest.mark.parametrize("text", ["ask ana@acme-print.de", HARMLESS, "", None])
def test_addresses_and_talk_of_secrets_are_none(text: str | None) -> None:
    assert secret_warning(text=text) == {}
