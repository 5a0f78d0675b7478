"""`graphsvc mcp`: the door for agents over standard input and output (spec 09)."""

import asyncio

from graphsvc.settings import Settings
from graphsvc.telemetry import configure_logging


def mcp() -> None:
    """Serve the seven MCP tools over standard input and output, for a client that starts its server itself.

    Calls go to the service of this home (`graphsvc up`), or to GRAPHSVC_SERVICE_URL with GRAPHSVC_TOKEN.

    Example: claude mcp add memory -- graphsvc mcp
    """
    from graphsvc.mcp.stdio import serve_stdio  # noqa: PLC0415 - the SDK takes its time; no other command needs it

    configure_logging(Settings().log_level)
    asyncio.run(serve_stdio())
