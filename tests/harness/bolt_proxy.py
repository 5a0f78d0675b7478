"""A TCP proxy between the service and Neo4j that understands Bolt well enough to break it at a chosen step.

It puts chunks together to messages, so that a fault acts on exactly one protocol step: `hello`, `begin`, `run`, `pull`,
`record`, `commit-before` (the commit never reaches the server), `commit-after` (it does, and only the answer is lost),
`reset`.
Actions: `cut` (the peer vanishes), `delay`, `fail` (the server's answer is replaced by a transient failure).
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

Step = Literal["hello", "begin", "run", "pull", "record", "commit-before", "commit-after", "reset"]
STEPS: Final[tuple[Step, ...]] = (
    "hello", "begin", "run", "pull", "record", "commit-before", "commit-after", "reset",
)  # fmt: skip
Action = Literal["cut", "delay", "fail"]

_HELLO, _RESET, _RUN, _BEGIN, _COMMIT, _PULL, _LOGON = 0x01, 0x0F, 0x10, 0x11, 0x12, 0x3F, 0x6A
_SUCCESS, _RECORD, _IGNORED, _FAILURE = 0x70, 0x71, 0x7E, 0x7F
_GOODBYE: Final = 0x02
_CLIENT_STEPS: Final[dict[int, Step]] = {
    _HELLO: "hello", _BEGIN: "begin", _RUN: "run", _PULL: "pull", _COMMIT: "commit-before", _RESET: "reset",
}  # fmt: skip
_MANIFEST: Final = b"\x01\xff"
DEADLOCK: Final = "Neo.TransientError.Transaction.DeadlockDetected"


@dataclass
class Fault:
    """What happens at a step: the first `times` occurrences after `skip` others. `fired` counts them."""

    step: Step
    action: Action = "cut"
    times: int = 1
    skip: int = 0
    delay_s: float = 0.0
    code: str = DEADLOCK
    fired: int = 0
    seen: int = 0

    def takes(self, step: Step) -> bool:
        """Whether it acts on this occurrence; counts it."""
        if step != self.step or self.fired >= self.times:
            return False
        self.seen += 1
        if self.seen <= self.skip:
            return False
        self.fired += 1
        return True


@dataclass(eq=False)
class _Connection:
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    server: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    version: tuple[int, int] = (0, 0)
    pending: deque[tuple[int, Fault | None]] = field(default_factory=deque)
    failed: bool = False

    def abort(self) -> None:
        """The peer vanishes, in both directions."""
        for _, writer in (self.client, self.server):
            writer.transport.abort()


def _text(value: str) -> bytes:
    data = value.encode()
    return (bytes([0x80 + len(data)]) if len(data) < 16 else b"\xd0" + bytes([len(data)])) + data


def _failure(code: str, version: tuple[int, int]) -> bytes:
    """A FAILURE message as this version of Bolt writes it."""
    fields = {"code": code, "message": "made by the proxy"}
    if version >= (5, 7):
        fields = {
            "neo4j_code": code,
            "message": "made by the proxy",
            "gql_status": "50N42",
            "description": "fault",
        }
    body = b"".join(_text(key) + _text(value) for key, value in fields.items())
    extra = _text("diagnostic_record") + b"\xa0" if version >= (5, 7) else b""
    return b"\xb1\x7f" + bytes([0xA0 + len(fields) + bool(extra)]) + body + extra


def _framed(message: bytes) -> bytes:
    return len(message).to_bytes(2, "big") + message + b"\0\0"


async def _messages(reader: asyncio.StreamReader) -> AsyncIterator[tuple[int, bytes]]:
    """Whole messages: signature, and bytes as they came, chunk headers included. No-ops have signature -1."""
    raw, body = b"", b""
    while True:
        header = await reader.readexactly(2)
        size = int.from_bytes(header, "big")
        raw += header
        if size:
            chunk = await reader.readexactly(size)
            raw, body = raw + chunk, body[:2] or chunk[:2]
            continue
        yield (body[1] if len(body) > 1 else -1), raw
        raw, body = b"", b""


class BoltProxy:
    """Listens on a free port of loopback and passes on to the Neo4j at `bolt_url`."""

    def __init__(self, bolt_url: str) -> None:
        target = urlsplit(bolt_url)
        self._upstream = (target.hostname or "127.0.0.1", target.port or 7687)
        self._faults: list[Fault] = []
        self._open: set[_Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.steps: Counter[str] = Counter()
        self.port = 0
        self.delay_s = 0.0
        """Added to every answer of the server, for a slow network or database."""
        self.refuse = False
        """Whether new connections are refused, as by a server that is not there."""

    @property
    def url(self) -> str:
        """The address for the service."""
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> "BoltProxy":
        """Begin to listen."""
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def stop(self) -> None:
        """Drop everything and end the thread."""
        self.drop_all()

        async def close() -> None:
            self._server.close()
            await asyncio.sleep(0.05)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0)

        self._call(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        self._loop.close()

    def arm(self, step: Step, action: Action = "cut", **options: Any) -> Fault:
        """Add a fault. It stays until `disarm`."""
        fault = Fault(step, action, **options)
        self._faults.append(fault)
        return fault

    def disarm(self) -> None:
        """Remove all faults and delays."""
        self._faults = []
        self.delay_s, self.refuse = 0.0, False

    def drop_all(self) -> None:
        """Cut every open connection, as a restarted server does."""

        async def drop() -> None:
            for connection in list(self._open):
                connection.abort()

        self._call(drop())

    def await_idle(self, deadline_s: float = 5.0) -> bool:
        """Whether no connection has an unanswered message within so many seconds."""
        until = time.monotonic() + deadline_s
        while time.monotonic() < until:
            if not any(connection.pending for connection in list(self._open)):
                return True
            time.sleep(0.02)
        return False

    def _call(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)

    def _fault(self, step: Step) -> Fault | None:
        self.steps[step] += 1
        return next((fault for fault in self._faults if fault.takes(step)), None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuse:
            writer.transport.abort()
            return
        try:
            upstream = await asyncio.open_connection(*self._upstream)
        except OSError:
            writer.transport.abort()
            return
        connection = _Connection((reader, writer), upstream)
        self._open.add(connection)
        try:
            await self._handshake(connection)
            await asyncio.wait(
                [
                    asyncio.ensure_future(self._quietly(self._from_client(connection))),
                    asyncio.ensure_future(self._quietly(self._from_server(connection))),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            connection.abort()
            self._open.discard(connection)

    @staticmethod
    async def _quietly(work: Coroutine[Any, Any, None]) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await work

    async def _handshake(self, connection: _Connection) -> None:
        """Pass the versions on, but for the newer negotiation, whose further bytes would not be messages."""
        hello = await connection.client[0].readexactly(20)
        proposals = [hello[i : i + 4] for i in range(4, 20, 4)]
        kept = [b"\0\0\0\0" if proposal.endswith(_MANIFEST) else proposal for proposal in proposals]
        connection.server[1].write(hello[:4] + b"".join(kept))
        chosen = await connection.server[0].readexactly(4)
        connection.version = (chosen[3], chosen[2])
        connection.client[1].write(chosen)

    async def _from_client(self, connection: _Connection) -> None:
        async for signature, raw in _messages(connection.client[0]):
            if signature == -1:
                connection.server[1].write(raw)
                continue
            step = _CLIENT_STEPS.get(signature)
            fault = self._fault(step) if step else None
            if signature == _COMMIT and fault is None:
                fault = self._fault("commit-after")
                connection.pending.append((signature, fault))
                connection.server[1].write(raw)
                continue
            if fault is not None and fault.action == "cut":
                connection.abort()
                return
            if (
                fault is not None
                and fault.action == "delay"
                and not await self._waited(connection, fault.delay_s)
            ):
                return
            if signature == _RESET:
                connection.failed = False
            if connection.failed or (fault is not None and fault.action == "fail"):
                await self._answer_failed(connection, fault)
                continue
            if signature != _GOODBYE:
                connection.pending.append((signature, None))
            connection.server[1].write(raw)

    @staticmethod
    async def _waited(connection: _Connection, delay_s: float) -> bool:
        """Wait so long; False as soon as the client has hung up, as the server would then notice too."""
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left_s, 0.05))
            if connection.client[0].at_eof() or connection.client[1].transport.is_closing():
                return False
        return True

    async def _answer_failed(self, connection: _Connection, fault: Fault | None) -> None:
        """Answer in the server's place, in turn: FAILURE once, then IGNORED until the client resets."""
        while connection.pending:  # noqa: ASYNC110 - a test's proxy
            await asyncio.sleep(0.001)
        connection.failed = True
        answer = _failure(fault.code, connection.version) if fault else b"\xb0\x7e"
        connection.client[1].write(_framed(answer))

    async def _from_server(self, connection: _Connection) -> None:
        async for signature, raw in _messages(connection.server[0]):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            fault = None
            if signature == _RECORD:
                fault = self._fault("record")
            elif signature in {_SUCCESS, _IGNORED, _FAILURE} and connection.pending:
                _, fault = connection.pending.popleft()
            if fault is not None and fault.action == "cut":
                connection.abort()
                return
            if (
                fault is not None
                and fault.action == "delay"
                and not await self._waited(connection, fault.delay_s)
            ):
                return
            connection.client[1].write(raw)
