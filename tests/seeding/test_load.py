"""Bulk loads through the real command line into a real Neo4j (spec 02, 10).

Goal: the demo world loads as its manifest says, a second load changes nothing, a refused record is named by line, a dry run
writes nothing, a load that was killed goes on; the PEPs load, and questions about them name the right entities.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Database
from tests.harness.service_process import Caller, ServiceProcess
from tests.seeding.pep_questions import ambiguous_pep_titles, derived_pep_questions

CHECKOUT = Path(__file__).resolve().parents[2]
DEMO = CHECKOUT / "seeds" / "demo.jsonl"


def environment(database: Database, home: Path) -> dict[str, str]:
    """What the command line needs to reach the database of this run."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
    return env | {
        "GRAPHSVC_HOME": str(home),
        "GRAPHSVC_NEO4J_URI": database.bolt_url,
        "GRAPHSVC_NEO4J_USER": database.user,
        "GRAPHSVC_NEO4J_PASSWORD": database.password,
    }


def load(database: Database, home: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run `graphsvc load … --json` and return its exit code and report."""
    done = subprocess.run(
        [sys.executable, "-m", "graphsvc", "load", *arguments, "--json"],
        env=environment(database, home),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)[0]


@pytest.fixture(scope="module")
def home(service: ServiceProcess) -> Path:
    """The home of the service, whose operator token loads use."""
    return service.home


def renamed_demo(tmp_path: Path, mark: str) -> Path:
    """The demo world in scopes of its own: its projects renamed, and what is shared put into a third one."""
    text = DEMO.read_text(encoding="utf-8")
    for scope in ("project:atlas", "project:borealis"):
        text = text.replace(f'"{scope}"', f'"{scope}-{mark}"')
    text = text.replace('"scope":"shared"', f'"scope":"project:shared-{mark}"')
    path = tmp_path / "demo.jsonl"
    path.write_text(
        json.dumps({"record": "scope", "id": f"project:shared-{mark}"}) + "\n" + text, encoding="utf-8"
    )
    return path


def test_the_demo_world_loads_as_its_manifest_says_and_a_second_load_changes_nothing(
    database: Database, home: Path, tmp_path: Path
) -> None:
    path = renamed_demo(tmp_path, f"m{os.getpid()}")
    code, report = load(database, home, str(path))
    expected = json.loads((CHECKOUT / "seeds" / "MANIFEST.json").read_text())["files"]["demo.jsonl"][
        "first_load"
    ]
    outcomes = report["outcomes"]
    assert (code, report["refused"]) == (0, 0)
    for thing in ("alias", "entity", "observation", "relation"):
        assert outcomes[thing] == expected[thing]
    retired = {
        name.removeprefix("retire_"): counts["retired"]
        for name, counts in outcomes.items()
        if "retire_" in name
    }
    assert retired == expected["retired"]
    code, again = load(database, home, str(path))
    assert (code, again["already_loaded"], again["outcomes"]) == (0, True, {})


def test_refused_records_are_named_by_line_and_stop_no_other(
    database: Database, home: Path, tmp_path: Path
) -> None:
    scope = f"project:refused-{os.getpid()}"
    lines = [
        json.dumps({"record": "scope", "id": scope}),
        '{"record":"entity","scope":"%s","name":"Good"}' % scope,
        '{"record":"entity","scope":"%s","name":"Null","observations":null}' % scope,
        "not json",
        '{"record":"entity","scope":"%s","name":""}' % scope,
        '{"record":"relation","scope":"%s","from":"Good","type":"knows","to":"Nobody"}' % scope,
        '{"record":"entity","scope":"%s","name":"Also good","observations":["a fact"," "]}' % scope,
    ]
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    code, dry = load(database, home, str(path), "--dry-run")
    assert (code, dry["outcomes"]["entity"]) == (1, {"created": 2, "invalid": 2})
    code, report = load(database, home, str(path))
    assert code == 1
    assert sorted(problem["line"] for problem in report["problems"]) == [3, 4, 5, 6, 7]
    assert report["outcomes"]["entity"] == {"created": 2, "invalid": 2}
    assert report["outcomes"]["relation"] == {"skipped": 1}


def test_a_killed_load_goes_on_where_it_was(database: Database, home: Path, tmp_path: Path) -> None:
    scope = f"project:killed-{os.getpid()}"
    path = tmp_path / "many.jsonl"
    with path.open("w", encoding="utf-8") as opened:
        opened.write(json.dumps({"record": "scope", "id": scope}) + "\n")
        for i in range(3_000):
            record = {
                "record": "entity",
                "scope": scope,
                "name": f"Thing {i}",
                "observations": [f"fact of {i}"],
            }
            opened.write(json.dumps(record) + "\n")
        for i in range(1_000):
            opened.write(
                json.dumps(
                    {
                        "record": "relation",
                        "scope": scope,
                        "from": f"Thing {i}",
                        "type": "next",
                        "to": f"Thing {i + 1}",
                    }
                )
                + "\n"
            )
    process = subprocess.Popen(
        [sys.executable, "-m", "graphsvc", "load", str(path)],
        env=environment(database, home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    code, report = load(database, home, str(path))
    assert (code, report["refused"]) == (0, 0)
    token = (home / "operator.token").read_text().strip()
    state = json.loads((home / "service.json").read_text())
    caller = Caller(state["base_url"], token)
    names = [f"Thing {i}" for i in range(0, 3_000, 15)]
    opened_entities = caller.call("open_nodes", names=names, scopes=[scope], budget={"limit": 200_000})
    assert opened_entities["missing"] == []
    assert [record["observations"][0]["text"] for record in opened_entities["entities"]] == [
        f"fact of {i}" for i in range(0, 3_000, 15)
    ]
    code, again = load(database, home, str(path), "--again")
    assert again["outcomes"]["entity"] == {"existing": 3_000}
    assert again["outcomes"]["relation"] == {"existing": 1_000}
    caller.close()


@pytest.fixture(scope="module")
def peps(database: Database, home: Path, service: ServiceProcess, shared_data: Path) -> Iterator[Caller]:
    """The PEPs, loaded, and a caller that reads them only."""
    started = time.monotonic()
    code, report = load(database, home, str(shared_data / "peps.jsonl"), "--format", "peps")
    seconds = time.monotonic() - started
    operator = Caller(service.base_url, service.token())
    if not report["already_loaded"]:
        assert (code, report["refused"]) == (0, 0)
        assert report["outcomes"]["observation"]["added"] >= 1_500
        print(f"PEPs loaded in {seconds:.1f} s")
        assert seconds < 60
    answer = operator.call(
        "create_tokens",
        tokens=[{"principal": f"peps-{os.getpid()}", "kind": "agent", "grants": {"project:peps": ["read"]}}],
    )
    reader = Caller(service.base_url, answer["results"][0]["token"])
    yield reader
    reader.close()
    operator.close()


def test_the_question_about_pep_386_names_the_right_entities(peps: Caller) -> None:
    query = "What replaced PEP 386 and who wrote it?"
    answer = peps.call("search_nodes", query=query, pointers=True)
    pointer = answer["pointers"]["items"][0]
    assert len(answer["pointers"]["items"]) == 1
    assert query[slice(*pointer["span"])] == "PEP 386"
    opened = peps.call("open_nodes", names=[{"id": pointer["entity_id"]}], neighbours=True)["entities"][0]
    assert opened["entity"]["name"].startswith("PEP 386")
    names = {relation["entity"]["name"] for record in answer["evidence"] for relation in record["relations"]}
    found = {record["entity"]["name"] for record in answer["evidence"]} | names
    assert any(name.startswith("PEP 386") for name in found)
    assert any(name.startswith("PEP 440") for name in found)
    assert "Tarek Ziadé" in found


def test_fifty_questions_resolve_to_exactly_one_pointer_each(peps: Caller) -> None:
    for question in derived_pep_questions(50):
        answer = peps.call("search_nodes", query=question.query, pointers=True)
        assert len(answer["pointers"]["items"]) == 1, question
        entity_id = answer["pointers"]["items"][0]["entity_id"]
        opened = peps.call("open_nodes", names=[{"id": entity_id}])["entities"][0]
        assert opened["entity"]["name"] == question.entity_name, question


def test_titles_that_several_proposals_have_point_to_nobody(peps: Caller) -> None:
    for title in ambiguous_pep_titles():
        answer = peps.call("search_nodes", query=f"Who wrote {title}?", pointers=True)
        assert answer["pointers"]["items"] == []
        assert answer["accounting"]["pointers"]["ambiguous"] == 1


def test_the_metrics_and_health_tell_no_stranger_anything(service: ServiceProcess) -> None:
    assert httpx.get(f"{service.base_url}/live").json() == {"status": "live"}
    assert httpx.get(f"{service.base_url}/ready").json() == {"status": "ready"}
    assert httpx.get(f"{service.base_url}/metrics").status_code == 401
    operator = {"Authorization": f"Bearer {service.token()}"}
    assert re.search(
        r"graphsvc_requests_total", httpx.get(f"{service.base_url}/metrics", headers=operator).text
    )
