"""`graphsvc search` and `graphsvc open` at a terminal, in a pipe and for scripts; one question at every door.

Goal: spec 09, command line. Method: the real command as a child process on a real service.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from rich.console import Console

from graphsvc.cli.show import safe, show_search
from graphsvc.client import AsyncClient, Client
from tests.conftest import World
from tests.harness.mcp_client import over_http, over_stdio, text_of
from tests.harness.service_process import Caller

REPOSITORY_ROOT = Path(__file__).resolve().parents[2]


def run(caller: Caller, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`graphsvc …` as this principal."""
    return subprocess.run(
        [sys.executable, "-m", "graphsvc", *arguments],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
            "GRAPHSVC_SERVICE_URL": str(caller.http.base_url).rstrip("/"),
            "GRAPHSVC_TOKEN": caller.token,
            **env,
        },
        cwd=REPOSITORY_ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


EVIL = "\u202eevil\x1b[2Jtext [red]x[/red]"


@pytest.fixture
def known(agent: Caller) -> Caller:
    """An agent whose memory holds a few things."""
    agent.call(
        "create_entities",
        entities=[
            {
                "name": "Acme Print",
                "aliases": ["Acme"],
                "kind": "organization",
                "observations": ["prints overnight", "Hall 4"],
            },
            {
                "name": "Night Press",
                "observations": ["prints overnight on weekdays", "\u202eevil\x1b[2Jtext [red]x[/red]"],
            },
            {"name": "Paul Pack", "observations": ["needs boxes printed overnight"]},
        ],
    )
    agent.call("create_relations", relations=[{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}])
    return agent


def test_a_search_is_readable_and_shows_evidence_pointers_and_budget(known: Caller) -> None:
    done = run(known, "search", "does Acme print overnight?")
    assert done.returncode == 0, done.stderr
    for part in (
        "Acme Print",
        "• prints overnight",
        "→ supplies Paul Pack",
        "“Acme print”",
        "█",
        "of 16,000 chars",
        "lexical",
    ):
        assert part in done.stdout, part
    assert "\x1b" not in done.stdout  # not a terminal: no colours


def test_json_is_the_answer_as_the_service_sent_it(known: Caller) -> None:
    fields = {"query": "overnight", "pointers": True, "budget": {"unit": "bytes", "limit": 3000}}
    done = run(known, "search", "overnight", "--json", "--limit", "3000", "--unit", "bytes")
    assert done.stdout == known.post("search_nodes", fields).text + "\n"
    done = run(known, "search", "overnight", "--block", "--no-pointers")
    assert done.stdout == known.post("search_nodes", {"query": "overnight", "render": "block"}).text
    done = run(known, "open", "Acme", "--json", "--neighbours")
    assert done.stdout == known.post("open_nodes", {"names": ["Acme"], "neighbours": True}).text + "\n"


def test_exit_codes_mean_something(known: Caller) -> None:
    assert run(known, "search", "zzzz qqqq").returncode == 4
    missing = run(known, "open", "Acme Print", "Nobody")
    assert (missing.returncode, "missing: Nobody" in missing.stdout) == (4, True)
    assert run(known, "open", "Acme Print").returncode == 0
    refused = run(known, "search", "x", "--limit", "5")
    assert (refused.returncode, "$.budget.limit" in refused.stderr) == (1, True)
    assert refused.stdout == ""
    assert run(known, "search").returncode == 2
    assert run(known, "search", "x", "--project", "a", "--hint", "b").returncode == 2
    nowhere = run(known, "search", "x", GRAPHSVC_SERVICE_URL="http://127.0.0.1:9")
    assert (nowhere.returncode, "Traceback" in nowhere.stderr) == (1, False)


def test_stored_text_cannot_drive_the_terminal(known: Caller) -> None:
    done = run(known, "open", "Night Press")
    assert "\\u202eevil\\u001b[2Jtext [red]x[/red]" in done.stdout
    assert safe("a\nb\tc\x9b\u2028") == "a b c\\u009b\\u2028"
    console = Console(force_terminal=True, width=100, file=None, record=True, quiet=True)
    with console.capture():
        show_search(console, "x", known.call("search_nodes", query="evil text", pointers=True))
    assert "\x1b[2J" not in console.export_text(styles=True)


@pytest.mark.parametrize("command", ["search", "open", "mcp"])
def test_help_has_an_example(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphsvc", command, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert f"graphsvc {command}" in done.stdout.partition("Example:")[2]


def test_the_shell_completes_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from graphsvc.cli import app; app(prog_name='graphsvc')"],
        env={
            **os.environ,
            "_GRAPHSVC_COMPLETE": "complete_bash",
            "COMP_WORDS": "graphsvc sea",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        encoding="utf-8",
        cwd=REPOSITORY_ROOT,
        check=False,
    )
    assert done.stdout.split() == ["search"]


def evidence(body: str | bytes) -> list[Any]:
    """What was found, in its order."""
    return [
        (hit["entity"]["id"], hit["score"], [o["id"] for o in hit["observations"]])
        for hit in orjson.loads(body)["evidence"]
    ]


async def test_the_same_question_at_every_door_gets_the_same_evidence_in_the_same_order(
    world: World, tmp_path: Path
) -> None:
    agent = world.agent(a="read,write", b="read,write")
    for name in ("a", "b"):
        agent.call(
            "create_entities",
            scope=world.scope(name),
            resolve="own_scope",
            entities=[
                {
                    "name": f"Press {n}{name}",
                    "observations": [f"prints overnight {'fast ' * (n % 4)}for client {n}", "cheap"],
                }
                for n in range(12)
            ],
        )
    url, question = world.base_url, "who prints overnight for client 7, and is it fast?"
    fields = {"query": question, "pointers": True, "budget": {"unit": "chars", "limit": 5000}}
    first = agent.post("search_nodes", fields)
    bodies: dict[str, str] = {"http": first.text}
    async with over_http(url, agent.token) as client:
        bodies["mcp over http"] = (await text_of(client, "search", fields))[0]
    async with over_stdio(tmp_path / "e", GRAPHSVC_SERVICE_URL=url, GRAPHSVC_TOKEN=agent.token) as client:
        bodies["mcp over stdio"] = (await text_of(client, "search", fields))[0]
    bodies["command line"] = run(agent, "search", question, "--json", "--limit", "5000").stdout.rstrip("\n")
    assert len(evidence(first.text)) > 3
    for door, body in bodies.items():
        assert body == first.text, door
    with Client(url, agent.token) as sync_client:
        answers = [sync_client.search_nodes(**fields)]
    async with AsyncClient(url, agent.token) as async_client:
        answers.append(await async_client.search_nodes(**fields))
    for answer in answers:
        assert answer.evidence == json.loads(first.text)["evidence"]
