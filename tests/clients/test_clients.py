"""The folder clients/: a matrix that does not claim too much, configurations that work, hooks that only send.

Goal: spec 04, delivery. Method: the files are read as they are; configured commands and addresses are really used, with
the SDK's client; the hook is run as a client would, against a real service, a service that hangs, and none.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from graphsvc.mcp.tools import TOOLS
from tests.conftest import World
from tests.harness.mcp_client import answer, over_http, over_stdio
from tests.harness.service_process import Caller

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients"
HOOK = CLIENTS / "hooks" / "remember.py"
MATRIX = tomllib.loads((CLIENTS / "matrix.toml").read_text(encoding="utf-8"))["client"]
COLUMNS = {
    "name",
    "transport",
    "auth",
    "configuration",
    "capture",
    "minimum_verified_version",
    "verified",
    "verified_how",
    "date",
    "hook_output",
}
RETURNS_WITHIN_S = 5.0

PROMPT = (
    "Look at the plan.\nremember: zebra contract ends in March\n  Remember:\tthe zebra prefers mail \nbye"
)
EVENTS: dict[str, tuple[list[str], str]] = {
    "claude-code": (
        [],
        json.dumps(
            {"session_id": "s-1", "cwd": "/w/atlas", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
        ),
    ),
    "cursor": ([], json.dumps({"conversation_id": "s-1", "prompt": PROMPT, "workspace_roots": ["/w/atlas"]})),
    "codex": (
        [
            json.dumps(
                {
                    "type": "agent-turn-complete",
                    "turn-id": "s-1",
                    "cwd": "/w/atlas",
                    "input-messages": [PROMPT, "next"],
                }
            )
        ],
        "",
    ),
}


def run_hook(
    arguments: list[str], stdin: str | bytes, **env: str
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    """Run the hook as a client does; how it ended and how long that took, in seconds."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(HOOK), *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **env},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done, time.monotonic() - started


def observations(agent: Caller, name: str) -> list[str]:
    """What is known about a thing, awaited for as long as a hook may take to send."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        entities = agent.call("open_nodes", names=[name])["entities"]
        if entities and entities[0]["observations"]:
            return sorted(observation["text"] for observation in entities[0]["observations"])
        time.sleep(0.2)
    return []


def test_every_row_of_the_matrix_is_complete_and_no_hook_output_is_a_data_position() -> None:
    assert {"claude-code", "codex", "cursor"} <= {row["name"] for row in MATRIX}
    for row in MATRIX:
        assert row.keys() == COLUMNS
        assert row["hook_output"] == "not a data position"
        assert set(row["transport"]) <= {"http", "stdio"}
        for file in row["configuration"]:
            assert (CLIENTS / file).is_file(), file


def test_a_row_says_what_was_not_verified() -> None:
    for row in MATRIX:
        assert row["verified"] in {"tools", "connection", "configuration", "unverified"}
        assert (row["verified"] == "unverified") == (row["minimum_verified_version"] == "unverified")
        if row["verified"] == "unverified":
            assert "not run" in row["verified_how"]
        else:
            assert re.fullmatch(r"\d+\.\d+\.\d+", row["minimum_verified_version"])
        if row["verified"] == "configuration":
            assert "no connection was tried" in row["verified_how"]


def configured_servers() -> list[tuple[str, dict[str, Any]]]:
    """Every MCP server that the example configurations name, by file."""
    found = []
    for row in MATRIX:
        for file in row["configuration"]:
            text = (CLIENTS / file).read_text(encoding="utf-8")
            settings = tomllib.loads(text) if file.endswith(".toml") else json.loads(text)
            for key in ("mcpServers", "servers", "mcp_servers"):
                found += [(file, server) for server in settings.get(key, {}).values()]
    return found


@pytest.mark.parametrize(
    ("file", "server"), configured_servers(), ids=lambda value: value if isinstance(value, str) else ""
)
async def test_every_configured_server_answers(
    file: str, server: dict[str, Any], agent: Caller, tmp_path: Path
) -> None:
    base_url = str(agent.http.base_url).rstrip("/")
    if "command" in server:
        assert [server["command"], *server["args"]] == ["graphsvc", "mcp"]
        async with over_stdio(
            tmp_path / "e", GRAPHSVC_SERVICE_URL=base_url, GRAPHSVC_TOKEN=agent.token
        ) as client:
            assert (await answer(client, "list", operation="whoami"))["kind"] == "agent"
        return
    url = server.get("url") or server["httpUrl"]
    assert url == "http://127.0.0.1:8737/mcp"
    scheme, token = server["headers"]["Authorization"].split(" ")
    assert (scheme, token[:2]) == ("Bearer", "${"), "no token is written into a file"
    async with over_http(
        url.removesuffix("/mcp").replace("http://127.0.0.1:8737", base_url), agent.token
    ) as client:
        assert (await answer(client, "list", operation="whoami"))["kind"] == "agent"


def test_every_configured_hook_is_the_one_that_only_sends() -> None:
    for file in ("claude-code/settings.json", "cursor/hooks.json", "codex/config.toml"):
        text = (CLIENTS / file).read_text(encoding="utf-8")
        assert set(re.findall(r"[\w\-]+\.py", text)) == {"remember.py"}
    source = HOOK.read_text(encoding="utf-8")
    assert re.findall(r'"/v1/"', source) == ['"/v1/"']
    assert 'OPERATION = "create_entities"' in source
    assert not re.search(
        r"\bprint\(|sys\.stdout|sys\.stderr|\.read\(\)\.decode|search_nodes|open_nodes", source
    )


@pytest.mark.parametrize("client", EVENTS)
def test_a_hook_sends_what_is_marked_and_says_nothing(world: World, client: str) -> None:
    agent = world.agent(a="read,write")
    agent.call(
        "create_entities", entities=[{"name": "atlas"}, {"name": "zebra", "observations": ["secret-7719"]}]
    )
    arguments, stdin = EVENTS[client]
    env = {"GRAPHSVC_SERVICE_URL": world.base_url, "GRAPHSVC_TOKEN": agent.token}
    for _ in range(2):
        done, _elapsed = run_hook(arguments, stdin, **env)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert observations(agent, "atlas") == ["the zebra prefers mail", "zebra contract ends in March"]


def test_a_hook_never_blocks_and_never_fails(agent: Caller) -> None:
    _arguments, stdin = EVENTS["claude-code"]
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        port = hanging.getsockname()[1]
        for url in (
            f"http://127.0.0.1:{port}",
            "http://127.0.0.1:9",
            "http://no-such-host.invalid",
            "nonsense",
        ):
            done, elapsed = run_hook([], stdin, GRAPHSVC_SERVICE_URL=url, GRAPHSVC_TOKEN="t")
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), url
            assert elapsed < RETURNS_WITHIN_S
    for garbage in (
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "7",
        '{"prompt": 7}',
        '{"prompt": "remember: x", "cwd": 7}',
        b"\xff\xfe",
    ):
        done, _elapsed = run_hook([], garbage, GRAPHSVC_SERVICE_URL="http://127.0.0.1:9", GRAPHSVC_TOKEN="t")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), garbage
    done, _elapsed = run_hook([], stdin)  # nothing says where the service is
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_prompt_without_a_mark_is_not_sent(agent: Caller) -> None:
    event = json.dumps(
        {"session_id": "s", "cwd": "/w/quiet", "prompt": "I remember: nothing\nremember:\nremember this"}
    )
    done, _elapsed = run_hook(
        [], event, GRAPHSVC_SERVICE_URL=str(agent.http.base_url), GRAPHSVC_TOKEN=agent.token
    )
    assert (done.returncode, done.stdout) == (0, b"")
    time.sleep(1)
    assert agent.call("open_nodes", names=["quiet"])["missing"] == ["quiet"]


def test_the_guide_names_every_tool_and_every_operation() -> None:
    guide = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (`.*) \|$", guide, re.MULTILINE))
    assert list(rows) == list(TOOLS)
    for tool in TOOLS.values():
        assert re.findall(r"`(\w+)`", rows[tool.name]) == list(tool.covers)


def test_the_examples_of_the_guide_are_understood() -> None:
    guide = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    examples = [json.loads(line) for line in guide.split("```json\n")[1].partition("```")[0].splitlines()]
    chosen = [TOOLS[example["name"]].choose(example["arguments"]).name for example in examples]
    assert chosen == ["create_entities", "search_nodes", "add_aliases", "delete_observations"]
