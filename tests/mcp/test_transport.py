"""`/mcp` as a place on the network: tokens, Host and Origin on every call, methods, no crossed answers.

Goal: spec 09 and 11 (HOST, MCP). Method: raw JSON-RPC over HTTP to a real service, so that ids, headers and methods
are ours to choose.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from graphsvc.problems import PROBLEM_TYPE
from tests.conftest import World
from tests.harness.mcp_client import post_rpc, rpc
from tests.harness.service_process import Caller, ServiceProcess

CALLS_PER_CLIENT = 500
AT_ONCE = 8

BAD_HOSTS = [
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "localhost:80.evil.example",
    "127.0.0.1:8737@evil.example",
    "user@localhost",
    "0.0.0.0",  # noqa: S104 - a header, not an address to listen on
    "169.254.169.254",
    "[::2]",
    "localhost:",
    "localhost:123456",
    "LOCALHOST.",
    "http://localhost",
]
BAD_ORIGINS = [
    "http://evil.example",
    "https://evil.example:8443",
    "null",
    "file://",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost:1",
    "chrome-extension://abcdefgh",
    "http://127.0.0.1@evil.example",
]


@pytest.fixture
async def http(service: ServiceProcess) -> AsyncIterator[httpx.AsyncClient]:
    """A connection pool to the service."""
    async with httpx.AsyncClient(base_url=service.base_url, timeout=60) as client:
        yield client


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.parametrize("host", BAD_HOSTS)
async def test_a_foreign_or_malformed_host_is_refused(
    http: httpx.AsyncClient, agent: Caller, host: str
) -> None:
    for message in (LIST, rpc(1, "list", {"operation": "whoami"})):
        response = await post_rpc(http, agent.token, message, Host=host)
        assert response.status_code == 421, (host, response.text)
        assert response.headers["content-type"] == PROBLEM_TYPE
        assert response.json()["type"] == "/errors/host_not_allowed"


@pytest.mark.parametrize("origin", BAD_ORIGINS)
async def test_a_foreign_origin_is_refused(http: httpx.AsyncClient, agent: Caller, origin: str) -> None:
    for message in (LIST, rpc(1, "list", {"operation": "whoami"})):
        response = await post_rpc(http, agent.token, message, Origin=origin)
        assert response.status_code == 403, (origin, response.text)
        assert response.json()["type"] == "/errors/origin_not_allowed"


async def test_two_host_headers_or_none_are_refused(service: ServiceProcess, agent: Caller) -> None:
    address = urlsplit(service.base_url)
    for hosts in ([f"localhost:{address.port}", "evil.example"], []):
        lines = [
            "POST /mcp HTTP/1.1",
            *(f"Host: {host}" for host in hosts),
            f"Authorization: Bearer {agent.token}",
            "Content-Type: application/json",
            "Content-Length: 2",
            "Connection: close",
            "",
            "{}",
        ]
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:  # type: ignore[arg-type]
            connection.sendall("\r\n".join(lines).encode())
            status = connection.makefile("rb").readline().split()[1]
        assert status in {b"421", b"400"}, (hosts, status)


async def test_own_host_and_own_origin_are_welcome(
    http: httpx.AsyncClient, agent: Caller, service: ServiceProcess
) -> None:
    port = urlsplit(service.base_url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", "localhost", f"[::1]:{port}", "localhost:9000"):
        for origin in ({}, {"Origin": f"http://{host}"}):
            response = await post_rpc(http, agent.token, LIST, Host=host, **origin)
            assert response.status_code == 200, (host, origin, response.text)
            assert len(response.json()["result"]["tools"]) == 7


async def test_every_call_needs_a_good_token(
    http: httpx.AsyncClient, agent: Caller, operator: Caller
) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    for message in (
        initialize,
        LIST,
        rpc(1, "list", {"operation": "whoami"}),
        {"jsonrpc": "2.0", "method": "ping"},
    ):
        for authorization in ("", "Bearer", "Bearer gsv_wrong", f"Basic {agent.token}", agent.token):
            response = await post_rpc(http, "", message, Authorization=authorization)
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"
            assert response.headers["content-type"] == PROBLEM_TYPE
    tokens = operator.call("list_tokens")["tokens"]
    principal = agent.call("whoami")["principal"]
    token_id = next(token["token_id"] for token in tokens if token["principal"] == principal)
    assert (await post_rpc(http, agent.token, LIST)).status_code == 200
    assert operator.call("revoke_tokens", token_ids=[token_id])["revoked"] == 1
    await asyncio.sleep(1)
    assert (await post_rpc(http, agent.token, LIST)).status_code == 401


async def test_only_post_and_only_this_path(http: httpx.AsyncClient, agent: Caller) -> None:
    headers = {"Authorization": f"Bearer {agent.token}", "Accept": "text/event-stream"}
    for method in ("GET", "DELETE", "PUT", "PATCH"):
        response = await http.request(method, "/mcp", headers=headers)
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
        assert response.headers["content-type"] == PROBLEM_TYPE
    for path in ("/mcp/other", "/nothing", "/v1/nothing", "/mcpx"):
        response = await http.post(path, json={}, headers=headers)
        assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM_TYPE)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b'{"jsonrpc":"2.0"}',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b"\xff",
    ],
)
async def test_what_is_not_json_rpc_is_a_client_error(
    http: httpx.AsyncClient, agent: Caller, body: bytes
) -> None:
    response = await http.post(
        "/mcp",
        content=body,
        headers={
            "Authorization": f"Bearer {agent.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    assert 400 <= response.status_code < 500


async def test_a_body_that_is_too_large_is_refused(http: httpx.AsyncClient, agent: Caller) -> None:
    message = rpc(1, "capture", {"entities": [{"name": "x", "observations": ["y" * (4 * 1024 * 1024)]}]})
    response = await post_rpc(http, agent.token, message)
    assert response.status_code == 413
    assert response.headers["content-type"] == PROBLEM_TYPE


async def test_interleaved_calls_of_two_clients_with_equal_ids_are_never_crossed(
    http: httpx.AsyncClient, world: World
) -> None:
    callers = {"left": world.agent(a="read,write"), "right": world.agent(b="read,write")}
    for side, caller in callers.items():
        caller.call(
            "create_entities",
            entities=[{"name": f"Thing {n}", "observations": [f"{side} {n}"]} for n in range(10)],
        )
    room = asyncio.Semaphore(AT_ONCE)

    async def ask(side: str, number: int) -> tuple[str, int, Any]:
        async with room:
            message = rpc(number, "fetch", {"names": [f"Thing {number % 10}"]})
            return side, number, (await post_rpc(http, callers[side].token, message)).json()

    answered = await asyncio.gather(*(ask(side, n) for n in range(CALLS_PER_CLIENT) for side in callers))
    assert len(answered) == 2 * CALLS_PER_CLIENT
    for side, number, message in answered:
        assert message["id"] == number
        text = message["result"]["content"][0]["text"]
        assert f'"text":"{side} {number % 10}"' in text
        assert f'"text":"{"left" if side == "right" else "right"} ' not in text
