"""What the retiring operations share: they answer a count, and nothing else (spec 01, 02)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from graphsvc.errors import InvalidRequest, Problem
from graphsvc.models.common import InvalidItem, WriteRequest
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.writing import Results, WriteBatch, run_write


async def run_retire(
    call: Call,
    operation: str,
    request: WriteRequest,
    items_field: str,
    items: Sequence[object],
    work: Callable[[WriteBatch], Awaitable[Results]],
    scope: Scope | None = None,
) -> dict[str, Any]:
    """Carry out a retiring write and answer how many things it retired.

    An item that does not fit its model refuses the request (InvalidRequest), as there are no outcomes to put it in.
    """
    problems = [
        Problem(f"$.{items_field}[{i}]{problem.path.removeprefix('$')}", problem.reason)
        for i, item in enumerate(items)
        for problem in _problems_in(item)
    ]
    if problems:
        raise InvalidRequest(problems=problems)
    answer = await run_write(call, operation, request, items_field, work, scope)
    return {
        "retired": sum(answer["counts"].values()) - answer["counts"].get("skipped", 0),
        "request_id": answer["request_id"],
        "bookmarks": answer["bookmarks"],
    }


def _problems_in(item: object) -> Sequence[Problem]:
    if isinstance(item, InvalidItem):
        return item.problems
    return [
        Problem(f"$.{field}[{j}]{problem.path.removeprefix('$')}", problem.reason)
        for field in ("contents", "aliases")
        for j, inner in enumerate(getattr(item, field, ()))
        if isinstance(inner, InvalidItem)
        for problem in inner.problems
    ]
