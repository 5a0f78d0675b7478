"""`graphsvc mcp` as a client starts it: a child process that speaks the protocol and nothing else.

Goal: spec 09, stdio. Method: the official SDK's client on a real child process on a real service; and one child driven
line by line, so that every byte of its standard output is looked at.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import World
from tests.harness.mcp_client import REPOSITORY_ROOT, answer, over_http, over_stdio, refusal, text_of
from tests.harness.service_process import Caller, ServiceProcess


def at(caller: Caller) -> dict[str, str]:
    """The environment that makes `graphsvc mcp` speak as this principal."""
    return {"GRAPHSVC_SERVICE_URL": str(caller.http.base_url).rstrip("/"), "GRAPHSVC_TOKEN": caller.token}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_tools_and_their_answers_are_those_of_http(
    agent: Caller, tmp_path: Path, mode: str
) -> None:
    async with (
        over_stdio(tmp_path / "stderr", mode, **at(agent)) as stdio,
        over_http(str(agent.http.base_url), agent.token, mode) as http,
    ):
        assert (await stdio.list_tools()).tools == (await http.list_tools()).tools
        entities = [
            {"name": f"Printer {n}", "observations": [f"prints overnight, number {n}"]} for n in range(5)
        ]
        captured = await answer(stdio, "capture", entities=entities)
        assert captured["counts"] == {"created": 5}
        # Without a bookmark of the caller's: a stdio session reads its own writes.
        found = await text_of(stdio, "search", {"query": "who prints overnight?", "pointers": True})
        assert json.loads(found[0])["accounting"]["entities"]["returned"] == 5
        assert found == await text_of(http, "search", {"query": "who prints overnight?", "pointers": True})
        for tool, arguments in (
            ("fetch", {"names": []}),
            ("capture", {"scope": "project:not-there", "entities": [{"name": "X"}]}),
            ("search", {"query": "x", "budget": {"limit": 1}}),
            ("update", {"items": []}),
            ("capture", {"entities": [{"name": "X"}], "idempotency_key": "k" * 300}),
        ):
            here, there = [await refusal(client, tool, **arguments) for client in (stdio, http)]
            for problem in (here, there):
                problem.pop("request_id")
            assert here == there, (tool, arguments)


async def test_a_token_that_only_reads_cannot_write(world: World, tmp_path: Path) -> None:
    reader = world.agent(a="read")
    async with over_stdio(tmp_path / "stderr", **at(reader)) as client:
        problem = await refusal(client, "capture", entities=[{"name": "X"}])
        assert problem["type"] == "/errors/forbidden"
        assert (await answer(client, "fetch", names=["X"]))["missing"] == ["X"]


async def test_the_service_may_come_after_the_agent(
    service: ServiceProcess, agent: Caller, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    async with over_stdio(tmp_path / "stderr", GRAPHSVC_HOME=str(home), GRAPHSVC_TOKEN=agent.token) as client:
        problem = await refusal(client, "search", query="anything")
        assert problem["type"] == "/errors/unavailable"
        assert "graphsvc up" in problem["detail"]
        home.mkdir()
        (home / "service.json").write_text(json.dumps({"base_url": service.base_url}))
        assert (await answer(client, "search", query="anything"))["evidence"] == []


def test_standard_output_holds_the_protocol_and_nothing_else(agent: Caller) -> None:
    messages: list[Any] = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "this is not JSON",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"},
        {
            "jsonrpc": "2.0",
            "id": 4,
            "method": "tools/call",
            "params": {"name": "list", "arguments": {"operation": "whoami"}},
        },
        {
            "jsonrpc": "2.0",
            "id": 5,
            "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": 7}},
        },
    ]
    text = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
    with subprocess.Popen(
        [sys.executable, "-m", "graphsvc", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY_ROOT,
        env={**at(agent), "PATH": "", "GRAPHSVC_LOG_LEVEL": "DEBUG"},
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(text)
        child.stdin.flush()
        answers = {}
        while set(answers) < {1, 2, 3, 4, 5}:
            line = child.stdout.readline()
            assert line, child.stderr.read() if child.stderr else ""
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if "id" in message:
                answers[message["id"]] = message
        child.stdin.close()
        assert child.stdout.read() == ""
        assert child.wait(timeout=20) == 0
    assert len(answers[2]["result"]["tools"]) == 7
    assert "error" in answers[3]
    assert answers[4]["result"]["isError"] is False
    assert answers[5]["result"]["isError"] is True
