"""The official SDK's client on both transports, and a plain JSON-RPC caller for what that client would not send."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import orjson
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

REPOSITORY_ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def over_http(base_url: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A connected client over streamable HTTP. `mode`: "legacy" (initialize handshake) or "auto" (newest)."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{base_url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(errors: Path, mode: str = "auto", **env: str) -> AsyncIterator[Client]:
    """A client of `graphsvc mcp` as a child process, whose standard error goes to the file `errors`."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "graphsvc", "mcp"], env=env, cwd=REPOSITORY_ROOT
    )
    with errors.open("w") as errlog:
        async with Client(stdio_client(server, errlog=errlog), mode=mode) as client:
            yield client


async def text_of(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """The one text item of a tool's answer, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    assert [item.type for item in result.content] == ["text"]
    assert result.structured_content is None
    return result.content[0].text, result.is_error  # type: ignore[union-attr]


async def answer(client: Client, tool: str, **arguments: Any) -> Any:
    """The answer of a call that must succeed, parsed."""
    text, is_error = await text_of(client, tool, arguments)
    assert not is_error, text
    return orjson.loads(text)


async def refusal(client: Client, tool: str, **arguments: Any) -> Any:
    """The problem document of a call that must be refused."""
    text, is_error = await text_of(client, tool, arguments)
    assert is_error, text
    return orjson.loads(text)


def rpc(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A JSON-RPC request that calls a tool."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


async def post_rpc(
    http: httpx.AsyncClient, token: str, message: dict[str, Any], **headers: str
) -> httpx.Response:
    """Post one JSON-RPC message to `/mcp`."""
    return await http.post(
        "/mcp",
        json=message,
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
