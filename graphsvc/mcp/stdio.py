"""`graphsvc mcp`: the tools over standard input and output, for a client that starts its own server (spec 09).

Each call goes to the running service over its HTTP interface, with a token of its own: so a stdio agent has the same
rights, limits, audit and revocation as any other, and no connection to the database. The service is looked for anew
whenever it cannot be reached, so it may be started, stopped or moved while the agent runs.
"""

import orjson
from mcp.server.stdio import stdio_server

from graphsvc.client import AsyncClient, RequestRefused, ServiceUnreachable
from graphsvc.client.exchange import Retry, may_repeat, new_key
from graphsvc.errors import Unavailable
from graphsvc.mcp.server import Context, Refused, ToolCall, make_server
from graphsvc.problems import problem_document

_RETRY = Retry(attempts=4)


class ServiceCaller:
    """Carries out calls at the service of this home, or of the settings; reads its own writes."""

    def __init__(self) -> None:
        self._client: AsyncClient | None = None
        self._bookmark: str | None = None

    async def run(self, call: ToolCall, _context: Context) -> str:
        """The body of the answer. Raises Refused."""
        operation = call.operation
        key = call.idempotency_key or new_key(operation.request)
        try:
            if self._client is None:
                self._client = AsyncClient.local(retry=_RETRY)
            response = await self._client.send(
                operation.name,
                orjson.dumps(call.fields, option=orjson.OPT_SORT_KEYS),
                key,
                bookmark=call.bookmark or self._bookmark,
                repeatable=may_repeat(operation.request, key),
            )
        except ServiceUnreachable as error:
            await self.close()
            problem = problem_document(Unavailable(f"the memory service does not answer: {error}"), "")
            raise Refused(problem | {"retry_after_s": Unavailable.retry_after_s}) from error
        if response.status_code >= 400:
            if response.status_code == 401:
                await self.close()  # the token may have been replaced
            raise Refused(RequestRefused.of(response).problem)
        if operation.needs != "read":
            self._bookmark = orjson.loads(response.content).get("bookmark", self._bookmark)
        return response.text

    async def close(self) -> None:
        """Forget where the service is, and what was written there."""
        if self._client is not None:
            await self._client.aclose()
        self._client = self._bookmark = None


async def serve_stdio() -> None:
    """Serve until standard input ends. Nothing but the protocol is written to standard output."""
    caller = ServiceCaller()
    server = make_server(caller.run)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await caller.close()
