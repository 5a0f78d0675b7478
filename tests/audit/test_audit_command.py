"""`graphsvc audit` at the terminal: exit codes, and what `--json` prints (spec 08, 09)."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import ServiceProcess

Run = Callable[..., subprocess.CompletedProcess[str]]
CHECKS = ["verify", "replay"]


@pytest.fixture
def audit(service: ServiceProcess, database: Database) -> Run:
    """`audit("verify", "--json")`: the finished process."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "graphsvc", "audit", *arguments],
            env=os.environ
            | {
                "GRAPHSVC_HOME": str(service.home),
                "GRAPHSVC_NEO4J_URI": database.bolt_url,
                "GRAPHSVC_NEO4J_USER": database.user,
                "GRAPHSVC_NEO4J_PASSWORD": database.password,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def scope(world: World) -> str:
    """A scope with a few transitions."""
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": "Elm", "observations": ["tall", "old"]}])
    return world.scope("a")


def printed(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON object that was printed."""
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_sound_log_is_exit_code_0_and_every_command_speaks_json(audit: Run, scope: str) -> None:
    assert printed(audit("seal", "--json")).keys() == {"sealed"}
    for check in CHECKS:
        done = audit(check, "--scope", scope, "--json")
        assert done.returncode == 0, done.stderr
        report = printed(done)
        [found] = report["scopes"]
        assert (report["problems"], found["scope"], found["problems"]) == (0, scope, [])
        assert (found["sealed"], found["waiting"]) == (3, 0)
    said = audit("verify", "--scope", scope)
    assert said.stdout == f"{scope}: 3 sealed, 0 waiting, 0 things compared, 0 problems\ndifferences: none\n"
    report = printed(audit("report", "--json"))
    mine = next(row for row in report["scopes"] if row["scope"] == scope)
    assert (mine["seq"], mine["waiting"], len(mine["seal"])) == (3, 0, 64)
    assert f"{scope}: 3 sealed, 0 waiting, head {mine['seal'][:16]}\n" in audit("report").stdout


def test_what_was_tampered_with_is_exit_code_1_and_named(audit: Run, scope: str, database: Database) -> None:
    audit("seal")
    changed = cypher(
        database,
        "MATCH (t:Transition {scope: $scope, after_text: 'old'}) SET t.after_text = 'young' RETURN t.id AS id",
        scope=scope,
    )[0]["id"]
    done = audit("verify", "--scope", scope, "--json")
    assert done.returncode == 1
    [problem] = printed(done)["scopes"][0]["problems"]
    assert (problem["problem"], problem["transition"]) == ("the content was altered", changed)
    said = audit("verify", "--scope", scope)
    assert (said.returncode, said.stdout.splitlines()[-1]) == (1, "differences: 1")
    assert changed in said.stdout
    done = audit("replay", "--scope", scope, "--json")
    assert done.returncode == 1
    assert [p["problem"] for p in printed(done)["scopes"][0]["problems"]] == ["other content"]


def test_what_waits_to_be_sealed_is_reported_as_such(audit: Run, scope: str, database: Database) -> None:
    audit("seal")
    cypher(
        database,
        "MATCH (t:Transition {scope: $scope}) WITH t ORDER BY t.seq DESC LIMIT 1 "
        "CREATE (n:Transition {id: t.id + '-new', target_id: 'obs_x', target_kind: 'observation', scope: $scope, "
        "revision: 1, at: datetime(), op: 'create', principal: 'p', unsealed: true})",
        scope=scope,
    )
    found = {row["scope"]: row for row in printed(audit("report", "--json"))["scopes"]}
    # The running service may have sealed it already: then it is in the chain.
    assert (found[scope]["seq"], found[scope]["waiting"]) in {(3, 1), (4, 0)}
