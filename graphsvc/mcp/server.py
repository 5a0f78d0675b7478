"""The MCP server: lists the tools, and hands each call to the one way of carrying out an operation.

How a call is carried out differs by transport and is given as `run`: in the service itself over HTTP (`endpoint`), by
the service over its HTTP interface on stdio (`stdio`). The answer is the same text, sent as one text item.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from graphsvc import __version__
from graphsvc.domain.framing import json_text
from graphsvc.errors import GraphsvcError, InternalError, InvalidRequest, Problem
from graphsvc.mcp.schema import input_schema
from graphsvc.mcp.tools import BESIDE_FIELDS, INSTRUCTIONS, TOOLS
from graphsvc.operations.operation import Operation
from graphsvc.problems import problem_document
from graphsvc.telemetry import REQUEST_ID, log

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, understood: the operation, its fields, and what was said beside them."""

    operation: Operation
    fields: dict[str, Any]
    bookmark: str | None
    idempotency_key: str | None


class Refused(Exception):
    """The service said no; `problem` is its problem document (RFC 9457)."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self.problem = problem
        super().__init__(problem.get("title", ""))


Run = Callable[[ToolCall, Context], Awaitable[str]]
"""Carries out a call and returns the body of the answer. Raises GraphsvcError or Refused."""

ADVICE: Final = {
    "forbidden": "This token may not do that. Do not repeat the call; ask the person you work for.",
    "scope_not_found": "Leave `scope` out to write to your default scope, or see `list` with operation whoami.",
    "budget_too_small": "Repeat the call with a larger `budget.limit`.",
    "invalid_request": "Correct the fields named in `errors` and call again.",
    "malformed_body": "Correct the fields named in `errors` and call again.",
    "batch_rejected": "Nothing was written. Correct the items named in `errors` and send all of them again.",
    "not_found": "It is not there, or not for you. Use `search` to find what is.",
    "idempotency_mismatch": "Use another `idempotency_key` for another request.",
    "idempotency_running": "Wait a second and repeat the call as it is.",
    "body_too_large": "Send the batch in parts.",
    "transaction_too_large": "Send the batch in parts.",
    "rate_limited": "Wait as many seconds as `retry_after_s` says and repeat the call.",
    "unavailable": "Wait a few seconds and repeat the call. Go on without memory when it fails again.",
    "overloaded": "Wait a second and repeat the call.",
    "database_unavailable": "Wait a few seconds and repeat the call. Go on without memory when it fails again.",
    "not_ready": "Wait a few seconds and repeat the call.",
    "outcome_unknown": "Fetch what you wrote before you repeat the call, or repeat it with the same `idempotency_key`.",
    "deadline_exceeded": "Ask for less (a smaller batch, a shorter query) and repeat the call.",
    "internal": "Do not repeat the call; report the request id.",
    "unauthorized": "The token is missing, unknown, expired or revoked. Ask the person you work for.",
}
"""What an agent can do about an error, by its slug."""

_ARGUMENT_OF_HEADER: Final = {
    "header Idempotency-Key": "$.idempotency_key",
    "header X-Bookmark": "$.bookmark",
}


def make_server(run: Run) -> Server[Any]:
    """The server with the seven tools, whose calls are carried out by `run`."""

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed_tools())

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            return _result(await run(understand(params), context))
        except Refused as refusal:
            return _result(json_text(_advised(refusal.problem)), is_error=True)
        except GraphsvcError as error:
            problem = problem_document(error, REQUEST_ID.get())
            if error.retry_after_s is not None:
                problem["retry_after_s"] = error.retry_after_s
            return _result(json_text(_advised(problem)), is_error=True)
        except MCPError:
            raise
        except Exception as error:
            log.error("internal_error", error=type(error).__name__, tool=params.name, exc_info=False)
            log.debug("internal_error_trace", exc_info=True)
            return _result(
                json_text(_advised(problem_document(InternalError(), REQUEST_ID.get()))), is_error=True
            )

    return Server(
        "graphsvc",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def listed_tools() -> list[ListedTool]:
    """The seven tools as clients see them: nothing in them comes from what is stored."""
    return [
        ListedTool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=input_schema(tool.name),
            annotations=ToolAnnotations(
                title=tool.title,
                read_only_hint=tool.reads,
                destructive_hint=tool.retires,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
        for tool in TOOLS.values()
    ]


def understand(params: CallToolRequestParams) -> ToolCall:
    """Which operation a call means, and with which fields; null is the same as leaving a field out.

    Raises InvalidRequest; MCPError for a tool that does not exist.
    """
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, f"there is no such tool; the tools are {', '.join(TOOLS)}")
    arguments = {name: value for name, value in (params.arguments or {}).items() if value is not None}
    operation = tool.choose(arguments)
    for name in BESIDE_FIELDS & arguments.keys():
        if not isinstance(arguments[name], str):
            raise InvalidRequest(problems=[Problem(f"$.{name}", "must be a text")])
    return ToolCall(
        operation,
        {name: value for name, value in arguments.items() if name not in BESIDE_FIELDS},
        arguments.get("bookmark"),
        arguments.get("idempotency_key"),
    )


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def _advised(problem: dict[str, Any]) -> dict[str, Any]:
    """The problem in the words of a tool call: paths of arguments, and what to do now."""
    slug = str(problem.get("type", "")).rpartition("/")[2]
    errors = [
        {**item, "path": _ARGUMENT_OF_HEADER.get(item["path"], item["path"])}
        for item in problem.get("errors", ())
    ]
    advice = {"advice": ADVICE[slug]} if slug in ADVICE else {}
    return {**problem, "errors": errors, **advice}
