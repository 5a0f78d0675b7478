"""`/mcp`: streamable HTTP, stateless, behind the same bearer tokens as all else (spec 09).

On every call, before the SDK sees it: the Host and Origin headers (against DNS rebinding), the method, the token. The
SDK gets the same lists as settings of its own, as it checks nothing without them.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import orjson
import regex
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from graphsvc import limits
from graphsvc.doors import Asked, Doors, measured, read_request
from graphsvc.errors import HostNotAllowed, OriginNotAllowed
from graphsvc.mcp.server import Context, ToolCall, make_server
from graphsvc.settings import Settings

_AUTHORITY: Final = regex.compile(
    r"(?P<name>\[[0-9a-f:]+\]|[a-z0-9]([a-z0-9.\-]*[a-z0-9])?)(:(?P<port>[0-9]{1,5}))?"
)
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_PRINCIPAL: Final = "graphsvc.principal"


def allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """Host names (any port), or name:port, that may be asked for: loopback ones, the service's own, those set."""
    own = (settings.service_url or "").partition("//")[2].partition("/")[0]
    return tuple(dict.fromkeys((*_LOOPBACK, *([own] if own else []), *settings.http_allowed_hosts)))


def check_host(headers: Headers, allowed: tuple[str, ...]) -> str:
    """The one Host header, if it is allowed. Raises HostNotAllowed."""
    hosts = headers.getlist("host")
    matched = _AUTHORITY.fullmatch(hosts[0]) if len(hosts) == 1 else None
    if matched is None or not ({matched[0], matched["name"]} & set(allowed)):
        raise HostNotAllowed
    return str(matched[0])


def check_origin(headers: Headers, host: str, allowed: list[str]) -> None:
    """No Origin, that of the service itself, or one that is set. Raises OriginNotAllowed."""
    own = {f"http://{host}", f"https://{host}"}
    for origin in headers.getlist("origin"):
        if origin not in own and origin not in allowed:
            raise OriginNotAllowed


class McpEndpoint:
    """The ASGI application at `/mcp`; `running` must be entered once before the first call."""

    def __init__(self, doors: Doors, settings: Settings) -> None:
        self._doors = doors
        self._hosts = allowed_hosts(settings)
        self._origins = settings.http_allowed_origins
        named = [name for host in self._hosts for name in (host, f"{host}:*")]
        self._manager = StreamableHTTPSessionManager(
            make_server(self._run),
            json_response=True,
            stateless=True,
            max_request_body_size=limits.BODY_BYTES_MAX,
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=named,
                allowed_origins=[
                    *self._origins,
                    *(f"{scheme}://{name}" for scheme in ("http", "https") for name in named),
                ],
            ),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While this is open, calls are answered."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call. Raises HostNotAllowed, OriginNotAllowed, Unauthorized, RateLimited."""
        headers = Headers(scope=scope)
        check_origin(headers, check_host(headers, self._hosts), self._origins)
        if scope["method"] != "POST":
            # Stateless: there is no stream to open and no session to end.
            raise HTTPException(405, headers={"Allow": "POST"})
        scope[_PRINCIPAL] = await self._doors.principal(headers.get("authorization"))
        await self._manager.handle_request(scope, receive, send)

    async def _run(self, call: ToolCall, context: Context) -> str:
        request: Any = context.request
        authorization = request.headers.get("authorization")
        principal = request.scope[_PRINCIPAL]
        with measured(call.operation):
            if call.bookmark is not None:
                principal = await self._doors.authenticator.authenticate(authorization, fresh=True)
            principal.require(call.operation.needs)
            body = orjson.dumps(call.fields, option=orjson.OPT_SORT_KEYS)
            asked = Asked(authorization, body, call.bookmark, call.idempotency_key)
            reply = await self._doors.run(
                call.operation, principal, read_request(call.operation, body), asked
            )
        return reply.body
