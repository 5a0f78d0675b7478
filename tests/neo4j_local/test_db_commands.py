"""Goal: `graphsvc db` says what it does, in words and in JSON, by exit codes that scripts can use.

Method: the real command line in a home where Neo4j has never run; `test_server` covers what a running one does.
"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphsvc.cli import app

COMMANDS = ("start", "stop", "status", "path", "logs")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHSVC_HOME", str(tmp_path))
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["db", *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_json(command: str) -> None:
    code, text = run(command, "--help")
    assert code == 0
    assert "Example:" in text
    assert f"graphsvc db {command}" in text
    assert "--json" in text


def test_status_of_nothing_is_3(home: Path) -> None:
    assert run("status") == (3, "not running\n")
    code, text = run("status", "--json")
    assert (code, json.loads(text)) == (3, {"running": False})
    assert list(home.iterdir()) == [], "looking leaves nothing behind"


def test_stop_of_nothing_is_done(home: Path) -> None:
    code, text = run("stop", "--json")
    assert (code, json.loads(text)) == (0, {"stopped": False})
    assert list(home.iterdir()) == []


def test_path_is_under_the_home(home: Path) -> None:
    assert run("path") == (0, f"{home}/neo4j\n")
    code, text = run("path", "--json")
    assert code == 0
    assert json.loads(text)["data"] == f"{home}/neo4j/data"


def test_logs_of_nothing_is_3() -> None:
    code, text = run("logs")
    assert code == 3
    assert "there is no log" in text


def test_logs_are_the_last_lines(home: Path) -> None:
    (home / "neo4j" / "logs").mkdir(parents=True)
    (home / "neo4j" / "logs" / "neo4j.log").write_text("one\ntwo\nthree\n")
    assert run("logs", "-n", "2") == (0, "two\nthree\n")
    code, text = run("logs", "--json", "-n", "1")
    assert (code, json.loads(text)["lines"]) == (0, ["three"])
    assert run("logs", "-n", "0")[0] == 2


def test_start_that_cannot_be_done_is_1_and_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "neo4j" / "data" / "databases" / "system").mkdir(parents=True)
    code, text = run("start")
    assert code == 1
    assert "put it back" in text
