"""Writes of one item: the request is the item, and the answer is its outcome."""

from collections.abc import Awaitable, Callable
from typing import Any

from graphsvc.models.common import SingleWrite
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.writing import WriteBatch, run_write


async def run_single(
    call: Call,
    operation: str,
    request: SingleWrite,
    scope: Scope,
    work: Callable[[WriteBatch], Awaitable[dict[str, Any]]],
) -> dict[str, Any]:
    """Carry out a write of one item in this scope; `work` answers the outcome, which becomes the answer."""

    async def one(batch: WriteBatch) -> list[dict[str, Any]]:
        return [{"index": 0, **(await work(batch))}]

    answer = await run_write(call, operation, request, "items", one, scope)
    result: dict[str, Any] = {key: value for key, value in answer.pop("results")[0].items() if key != "index"}
    answer.pop("counts")
    return {**result, **answer}
