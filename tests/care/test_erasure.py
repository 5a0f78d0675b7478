"""Goal: what an operator erases is nowhere in the graph any more, and the audit still accepts the log (spec 01, 08).

Method: a canary in every text of an entity; after `graphsvc erase` the whole export and every answer are searched for it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphsvc.service.doctor import diagnose
from graphsvc.service.replay import replay, verify
from graphsvc.settings import Settings
from tests.care.conftest import Empty, export, on, service_on
from tests.conftest import Database
from tests.harness.service_process import Caller, ServiceProcess

CANARY = "zyzzyva"


@pytest.fixture
def service(empty: Empty, tmp_path: Path) -> Iterator[ServiceProcess]:
    database = empty()
    process = service_on(database, tmp_path / "home").start()
    yield process
    process.stop()


def run_erase(service: ServiceProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(service, "erase", *arguments, "--reason", "request 17")


def run_command(
    service: ServiceProcess, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
    env |= {
        "GRAPHSVC_HOME": str(service.home),
        "GRAPHSVC_NEO4J_URI": service.bolt_url,
        "GRAPHSVC_NEO4J_PASSWORD": service.password,
    }
    return subprocess.run(
        [sys.executable, "-m", "graphsvc", *arguments],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_what_is_erased_is_nowhere_and_the_audit_accepts_it(service: ServiceProcess, tmp_path: Path) -> None:
    database = Database(service.bolt_url, service.user, service.password, "managed")
    caller = Caller(service.base_url, service.token())
    caller.call("create_scopes", scopes=[{"id": "project:e"}])
    texts = [f"{CANARY} lives here", f"{CANARY} moved"]
    made: dict[str, Any] = caller.call(
        "create_entities",
        scope="project:e",
        entities=[
            {
                "name": CANARY,
                "kind": "person",
                "aliases": [f"{CANARY} the Second", "Zed"],
                "observations": texts,
            },
            {"name": "Zed Town", "aliases": ["Zed"], "observations": ["a town"]},
        ],
    )
    person = made["results"][0]["id"]
    caller.call(
        "create_relations",
        scope="project:e",
        relations=[{"from": CANARY, "type": "lives in", "to": "Zed Town", "properties": {"note": CANARY}}],
    )
    caller.call("update_entities", scope="project:e", items=[{"entity": CANARY, "name": f"{CANARY} III"}])
    caller.call(
        "delete_observations", scope="project:e", items=[{"entity": {"id": person}, "contents": [texts[1]]}]
    )
    task = caller.call("create_tasks", scope="project:e", tasks=[{"title": f"Call {CANARY}"}])["results"][0][
        "id"
    ]
    before = datetime.now(UTC)
    time.sleep(2.5)

    first, after = tmp_path / "before.ndjson", tmp_path / "after.ndjson"
    export(database, service.home, first)
    assert CANARY in first.read_text()

    would = run_erase(service, person, task, "--dry-run", "--json")
    assert would.returncode == 0, would.stderr
    counts = {"entity": 1, "observation": 2, "alias": 4, "relation": 1, "work_item": 1}
    assert json.loads(would.stdout)["erased"] == counts
    assert open_(caller, person)["entities"], "a dry run changes nothing"

    done = run_erase(service, person, task, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["erased"] == counts

    export(database, service.home, after)
    assert CANARY not in after.read_text().lower()
    assert caller.call("search_nodes", query=CANARY)["evidence"] == []
    assert open_(caller, person)["entities"] == []
    history = caller.post("get_history", {"entity": {"id": person}})
    past = caller.post("open_nodes", {"names": [{"id": person}], "as_of": before.isoformat()})
    for answer in (history, past):
        assert answer.status_code in {200, 404}
        assert CANARY not in answer.text
    # A name that it shared is now the other one's alone, and nobody else lost anything.
    shared = open_(caller, "Zed")["entities"]
    assert [entity["entity"]["name"] for entity in shared] == ["Zed Town"]
    for check in (verify, replay):
        for report in on(database, lambda graph, check=check: check(graph, Settings(home=service.home))):
            assert report.problems == []
    assert on(database, diagnose).findings == []
    # The name is free again, for somebody else.
    again = caller.call("create_entities", scope="project:e", entities=[{"name": CANARY}])["results"][0]
    assert (again["outcome"], again["id"] == person) == ("created", False)
    caller.close()


def open_(caller: Caller, name: str) -> Any:
    return caller.call("open_nodes", names=[{"id": name} if name.startswith("ent_") else name])


def test_what_is_not_there_is_named_and_nothing_is_erased(service: ServiceProcess) -> None:
    answer = run_erase(service, "ent_unknown", "--yes")
    assert answer.returncode == 1
    assert "ent_unknown" in answer.stderr


def test_what_merges_and_memory_files_made_of_it_goes_too(service: ServiceProcess, tmp_path: Path) -> None:
    database = Database(service.bolt_url, service.user, service.password, "managed")
    caller = Caller(service.base_url, service.token())
    caller.call("create_scopes", scopes=[{"id": "project:e"}])
    person = {"name": CANARY, "aliases": [f"{CANARY}-2"], "observations": [f"{CANARY} was here"]}
    made = caller.call(
        "create_entities",
        scope="project:e",
        entities=[person, {"name": "Kept", "observations": ["stays"]}, {"name": "Other"}],
    )
    ids = {result["name"]: result["id"] for result in made["results"]}
    caller.call(
        "create_relations", scope="project:e", relations=[{"from": CANARY, "type": "near", "to": "Other"}]
    )
    task = caller.call("create_tasks", scope="project:e", tasks=[{"title": "Look"}])["results"][0]["id"]
    caller.call("link_task_entity", scope="project:e", task=task, entity=CANARY)
    page = caller.call("put_document", scope="project:e", title=f"On {CANARY}", text=f"{CANARY}. " * 900)[
        "id"
    ]
    repository = tmp_path / "handbook"
    (repository / ".agent-memory").mkdir(parents=True)
    (repository / "graphsvc.toml").write_text("[memory]\nknowledge_entities = true\n")
    (repository / ".agent-memory" / "a.md").write_text(f"Ask {CANARY}-2 first.\n")
    kept = run_command(service, "ingest", "--write", "--scope", "project:e", cwd=repository)
    assert (kept.returncode, "1 links created" in kept.stderr) == (0, True), kept.stderr
    caller.call("merge_entities", scope="project:e", source=CANARY, target="Kept")

    would = json.loads(run_erase(service, ids[CANARY], "--dry-run", "--json").stdout)
    candidate = [one["id"] for one in would["mentions"] if one["kind"] == "candidate"]
    assert len(candidate) == 1
    counts = {"entity": 1, "observation": 2, "relation": 2, "task_link": 2, "alias": 4, "support": 1}
    assert would["erased"] == counts
    done = run_erase(service, ids[CANARY], page, *candidate, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["erased"] == counts | {"document": 1, "candidate": 1}

    after = tmp_path / "after.ndjson"
    export(database, service.home, after)
    assert CANARY not in after.read_text().lower()
    [kept_entity] = open_(caller, "Kept")["entities"]
    assert [text["text"] for text in kept_entity["observations"]] == ["stays"]
    assert kept_entity["entity"]["aliases"] == kept_entity["relations"] == []
    for check in (verify, replay):
        for report in on(database, lambda graph, check=check: check(graph, Settings(home=service.home))):
            assert report.problems == []
    assert on(database, diagnose).findings == []
    # Where it went is no secret; who erases the survivor erases with it what was merged into it.
    both = json.loads(run_erase(service, ids["Kept"], "--dry-run", "--json").stdout)["erased"]
    assert both["entity"] == 2
    caller.close()
