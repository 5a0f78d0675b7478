"""The gate for writes: closed for a moment while a backup takes its last look (docs/decisions/0005-write-gate.md)."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from graphsvc.errors import GraphsvcError
from graphsvc.graph import GATE_LEASE_S, Graph, Transaction
from graphsvc.ids import new_id

_HELD_S: Final = 60
"""After this the gate opens by itself, should its holder be gone."""
_KEEP_EVERY_S: Final = 10.0
_DRAIN_S_MAX: Final = 120.0
_POLL_S: Final = 0.05


class GateLost(GraphsvcError):
    """The gate for writes is held by another backup or import, or it was lost on the way."""

    slug = "gate_lost"


class ClosedGate:
    """A gate that is held; `confirm` says at the end that it was held all the time."""

    def __init__(self, close: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        self._close = close
        self._lost = False
        self._keeping = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        while not self._lost:
            await asyncio.sleep(_KEEP_EVERY_S)
            with suppress(GraphsvcError):
                self._lost = not (await self._close())["kept"]

    async def confirm(self) -> None:
        """Raise GateLost if writes could have happened since the gate was closed."""
        if self._lost or not (await self._close())["kept"]:
            raise GateLost

    async def release(self) -> None:
        """Stop keeping it."""
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)


@asynccontextmanager
async def closed_gate(graph: Graph) -> AsyncIterator[ClosedGate]:
    """No write of any process of the service is running, or begins, inside this block.

    `graph` must be `past_the_gate()`. Raises GateLost when another holds the gate or a write does not end.
    """
    holder = new_id("req")

    async def close() -> dict[str, Any]:
        async def work(tx: Transaction) -> dict[str, Any]:
            return (await tx.run("housekeeping/close_write_gate", holder=holder, seconds=_HELD_S))[0]

        answer, _ = await graph.transaction(None, work, name="close_write_gate")
        return answer

    async def open_again(tx: Transaction) -> None:
        await tx.run("housekeeping/open_write_gate", holder=holder)

    if not (await close())["held"]:
        raise GateLost
    gate = ClosedGate(close)
    try:
        await asyncio.sleep(GATE_LEASE_S)
        await _drain(graph)
        yield gate
    finally:
        await gate.release()
        await graph.transaction(None, open_again, name="open_write_gate")


async def _drain(graph: Graph) -> None:
    """Wait for the writes that began while the gate was open."""
    waiting = await _running(graph)
    until = time.monotonic() + _DRAIN_S_MAX
    while waiting:
        if time.monotonic() > until:
            raise GateLost("a write that began before does not end")
        await asyncio.sleep(_POLL_S)
        waiting &= await _running(graph)


async def _running(graph: Graph) -> set[str]:
    return {row["id"] for row in await graph.read(None, "housekeeping/running_writes")}
