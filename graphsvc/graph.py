"""The only module that knows the driver (spec 09, 11).

`Graph.read` and `Graph.transaction` take the caller's Scope first and add its parameters themselves. Reads run in
read-access transactions, so that the server refuses a mistaken write. Writes are managed transactions: one request,
one transaction. Every query has the time that is left of the request's deadline.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncTransaction, Bookmarks
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graphsvc.errors import (
    DatabaseUnavailable,
    DeadlineExceeded,
    GraphsvcError,
    NotReady,
    OutcomeUnknown,
    TransactionTooLarge,
    WritesPaused,
)
from graphsvc.queries import SCOPE_PARAMETERS, CypherQuery, Q
from graphsvc.scope import Scope
from graphsvc.telemetry import metrics

T = TypeVar("T")
Row = dict[str, Any]

DEADLINE: Final[ContextVar[float | None]] = ContextVar("deadline", default=None)
"""Monotonic time at which the current request ends; None: no deadline (command line, bulk load)."""
DB_TIME_S: Final[ContextVar[list[float] | None]] = ContextVar("db_time", default=None)
"""Seconds the current request has spent waiting for the database, one entry a call."""

_ACQUIRE_TIMEOUT_S: Final = 4.0
_CONNECT_TIMEOUT_S: Final = 3.0
_READ_ATTEMPTS: Final = 3
_WRITE_ATTEMPTS: Final = 8
_MEMORY_CODES: Final = ("MemoryPoolOutOfMemoryError", "TransactionOutOfMemoryError", "OutOfMemory")
_ENDED_CODES: Final = ("TransactionTimedOut", "Terminated", "LockClientStopped")
_NO_DEADLINE_TRANSACTION_S: Final = 600.0
"""How long a transaction of a bulk load may take; the server's own limit is made for requests."""
_WRITE_MARK: Final = {"graphsvc": "write"}
"""On every transaction that may write, so that the feed of changes knows which are still running."""
_STREAM_S: Final = 24 * 3_600.0
"""How long the reading of a whole graph may take."""
GATE_LEASE_S: Final = 1.0
"""How long a process that has seen the gate for writes open need not look again."""
_GATE_POLL_S: Final = 0.1
_RETRYABLE_CLIENT_CODES: Final = ("Neo.ClientError.Statement.EntityNotFound",)
"""Typed as a client error, but seen when another transaction changed the entity meanwhile; trying again is right."""


class Transaction:
    """The queries of one write request; `run` works as Graph.read does."""

    def __init__(self, tx: AsyncTransaction, scope: Scope | None) -> None:
        self._tx = tx
        self._scope = scope

    def seeing(self, scope: Scope) -> "Transaction":
        """The same transaction for queries of another scope of the same request."""
        return Transaction(self._tx, scope)

    async def run(self, query: CypherQuery | str, **params: object) -> list[Row]:
        """Run one query of the catalogue and return its rows as dictionaries."""
        query = Q[query] if isinstance(query, str) else query
        bound = _bind(self._scope, query, params)
        if "rows" not in bound or not query.returns:
            return await (await self._tx.run(query.text, bound)).data()
        packed = await (await self._tx.run(query.packed, bound)).single(strict=True)
        return list(packed["packed"])


def _bind(scope: Scope | None, query: CypherQuery, params: Mapping[str, object]) -> dict[str, object]:
    by_hand = SCOPE_PARAMETERS & params.keys()
    if query.scope == "gated":
        if by_hand:
            raise TypeError(f"{query.name}: {sorted(by_hand)} come from the scope, not from the caller")
        if scope is None:
            raise TypeError(f"{query.name} is gated and needs a scope")
        bound = {**params, **scope.parameters(query.params)}
    else:
        bound = dict(params)
    if bound.keys() != query.params:
        raise TypeError(f"{query.name}: got {sorted(bound)}, takes {sorted(query.params)}")
    return bound


def _time_left_s() -> float | None:
    deadline = DEADLINE.get()
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlineExceeded
    return left


def _is_transient(error: Exception) -> bool:
    if isinstance(error, IncompleteCommit):
        return False
    if isinstance(error, (ServiceUnavailable, SessionExpired)):
        return True
    if isinstance(error, Neo4jError):
        code = error.code or ""
        if any(name in code for name in _MEMORY_CODES):
            return False
        return error.is_retryable() or code in _RETRYABLE_CLIENT_CODES or "ConstraintValidationFailed" in code
    return False


def _translate(error: Exception) -> GraphsvcError | None:
    """The client-safe error for a driver error, or None for a defect of ours."""
    if isinstance(error, IncompleteCommit):
        return OutcomeUnknown()
    if isinstance(error, Neo4jError):
        code = error.code or ""
        if any(name in code for name in _MEMORY_CODES):
            return TransactionTooLarge()
        if any(name in code for name in _ENDED_CODES):
            return DeadlineExceeded()
        if "procedure" in str(error).lower() and "no such fulltext" in str(error).lower():
            return NotReady()
    if isinstance(error, (ServiceUnavailable, SessionExpired, AuthError, TransientError)):
        return DatabaseUnavailable()
    if isinstance(error, DriverError) and not isinstance(error, ClientError):
        return DatabaseUnavailable()
    return None


class _Commit:
    """Whether the current attempt has sent its commit: from then on, running out of time leaves the outcome unknown."""

    is_sent = False


class Graph:
    """Neo4j as the service uses it: queries of the catalogue, run for a scope."""

    def __init__(self, driver: AsyncDriver, database: str | None = None, *, gated: bool = True) -> None:
        self._driver = driver
        self._database = database
        self._gated = gated
        self._gate_seen_open = float("-inf")

    def past_the_gate(self) -> "Graph":
        """The same graph, writing while the gate for writes is closed: for the one who closed it."""
        return Graph(self._driver, self._database, gated=False)

    @classmethod
    def connect(
        cls, uri: str, user: str, password: str, *, pool_size: int = 32, database: str | None = None
    ) -> "Graph":
        """A graph at this address. Nothing is sent before the first query."""
        driver = AsyncGraphDatabase.driver(
            uri,
            auth=(user, password),
            max_connection_pool_size=pool_size,
            connection_acquisition_timeout=_ACQUIRE_TIMEOUT_S,
            connection_timeout=_CONNECT_TIMEOUT_S,
            liveness_check_timeout=30.0,
            keep_alive=True,
            telemetry_disabled=True,
            notifications_min_severity="OFF",
            user_agent="graphsvc",
        )
        return cls(driver, database)

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def read(
        self,
        scope: Scope | None,
        query: CypherQuery | str,
        *,
        bookmarks: Sequence[str] = (),
        **params: object,
    ) -> list[Row]:
        """Run one read query and return its rows. Tried again on a lost connection, within the deadline.

        Raises DatabaseUnavailable, DeadlineExceeded, NotReady; TypeError for parameters that do not fit.
        """
        query = Q[query] if isinstance(query, str) else query
        if query.access != "read":
            raise TypeError(f"{query.name} writes; use a transaction")
        bound = _bind(scope, query, params)

        async def attempt() -> list[Row]:
            left_s = _time_left_s()
            async with self._driver.session(
                database=self._database,
                default_access_mode=neo4j.READ_ACCESS,
                bookmarks=Bookmarks.from_raw_values(bookmarks) if bookmarks else None,
            ) as session:
                result = await session.run(neo4j.Query(query.text, timeout=left_s), bound)
                return await result.data()

        return await self._guarded(query.name, attempt, _READ_ATTEMPTS)

    async def stream(self, query: CypherQuery | str, **params: object) -> AsyncIterator[Row]:
        """Rows of a system query that may answer the whole graph, as they come; not tried again.

        Read where writes are made, so that on a cluster it sees what was committed before. Raises DatabaseUnavailable.
        """
        query = Q[query] if isinstance(query, str) else query
        try:
            async with self._driver.session(
                database=self._database, default_access_mode=neo4j.WRITE_ACCESS
            ) as session:
                result = await session.run(
                    neo4j.Query(query.text, timeout=_STREAM_S), _bind(None, query, params)
                )
                async for record in result:
                    yield record.data()
        except (Neo4jError, DriverError) as error:
            translated = _translate(error)
            if translated is None:
                raise
            raise translated from error

    async def _pass_gate(self, tx: AsyncTransaction) -> None:
        """Raise WritesPaused while a backup or an import holds the gate (docs/decisions/0005-write-gate.md).

        Asked after the transaction has begun: whoever closes the gate waits for the lease to end and then for every
        transaction that had begun by then, so that none is overlooked.
        """
        if not self._gated or time.monotonic() - self._gate_seen_open < GATE_LEASE_S:
            return
        asked = time.monotonic()
        rows = await (await tx.run(Q["housekeeping/write_gate"].text)).data()
        if rows and rows[0]["closed"]:
            raise WritesPaused
        self._gate_seen_open = asked

    async def transaction(
        self, scope: Scope | None, work: Callable[[Transaction], Awaitable[T]], *, name: str = "transaction"
    ) -> tuple[T, list[str]]:
        """Run `work` in one write transaction and commit it; returns its result and the bookmarks after it.

        `work` must give the same effect when run again: it is tried again on deadlocks and lost connections, and once
        after a commit whose answer was lost, as every write here is idempotent by the ids it was given beforehand.
        Raises OutcomeUnknown when that second try cannot tell either, WritesPaused when the gate for writes does not
        open in time.
        """

        commit = _Commit()

        async def attempt() -> tuple[T, list[str]]:
            left_s = _time_left_s()
            commit.is_sent = False
            async with self._driver.session(
                database=self._database, default_access_mode=neo4j.WRITE_ACCESS
            ) as session:
                tx = await session.begin_transaction(
                    metadata=_WRITE_MARK, timeout=left_s or _NO_DEADLINE_TRANSACTION_S
                )
                try:
                    await self._pass_gate(tx)
                    result = await work(Transaction(tx, scope))
                    commit.is_sent = True
                    await tx.commit()
                except asyncio.CancelledError:
                    tx.cancel()
                    raise
                except BaseException:
                    await tx.close()
                    raise
                return result, sorted((await session.last_bookmarks()).raw_values)

        return await self._guarded(name, attempt, _WRITE_ATTEMPTS, commit)

    @asynccontextmanager
    async def rehearsal(self) -> AsyncIterator["Graph"]:
        """A graph on which writes happen in one transaction that is never committed: to say what would happen."""
        async with self._driver.session(database=self._database) as session:
            tx = await session.begin_transaction(timeout=_NO_DEADLINE_TRANSACTION_S)
            try:
                yield _Rehearsal(self._driver, self._database, tx)
            finally:
                await tx.rollback()

    async def _guarded(
        self, name: str, attempt: Callable[[], Awaitable[T]], attempts: int, commit: "_Commit | None" = None
    ) -> T:
        """Run an attempt under the deadline, again where that is safe, and translate what the driver raises.

        When the time is up after a commit was sent, or while it is unknown what became of one, that is what is told.
        """
        started = time.perf_counter()
        tried = 0
        lost_commit = False
        try:
            while True:
                tried += 1
                try:
                    left_s = _time_left_s()
                    async with asyncio.timeout(left_s):
                        return await attempt()
                except (TimeoutError, DeadlineExceeded) as error:
                    is_sent = isinstance(error, TimeoutError) and commit is not None and commit.is_sent
                    raise (OutcomeUnknown() if lost_commit or is_sent else DeadlineExceeded()) from error
                except WritesPaused as error:
                    deadline = DEADLINE.get()
                    if deadline is not None and deadline - time.monotonic() < 2 * _GATE_POLL_S:
                        raise (OutcomeUnknown() if lost_commit else error) from error
                    await asyncio.sleep(_GATE_POLL_S)
                    tried -= 1
                except (Neo4jError, DriverError) as error:
                    if isinstance(error, IncompleteCommit) and commit and not lost_commit:
                        lost_commit = True
                    elif not _is_transient(error) or tried >= attempts:
                        if lost_commit:
                            raise OutcomeUnknown from error
                        translated = _translate(error)
                        if translated is None:
                            raise
                        raise translated from error
                    metrics.db_retries.labels(query=name).inc()
                    await asyncio.sleep(min(0.02 * 2**tried, 0.5))
        finally:
            spent = time.perf_counter() - started
            metrics.db_seconds.labels(query=name).observe(spent)
            times = DB_TIME_S.get()
            if times is not None:
                times.append(spent)

    async def run_schema(self, statement: str) -> None:
        """Run one schema statement (auto-commit, as Neo4j asks for schema changes)."""
        async with self._driver.session(database=self._database) as session:
            await (await session.run(statement)).consume()

    async def ping(self) -> None:
        """Raise DatabaseUnavailable unless the database answers."""
        await self.read(None, "system/ping")


class _Rehearsal(Graph):
    """See Graph.rehearsal. One query at a time, as a transaction has one connection."""

    def __init__(self, driver: AsyncDriver, database: str | None, tx: AsyncTransaction) -> None:
        super().__init__(driver, database)
        self._tx = tx
        self._turn = asyncio.Lock()

    async def transaction(
        self,
        scope: Scope | None,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        name: str = "transaction",  # noqa: ARG002 - for metrics, which a rehearsal does not count
    ) -> tuple[T, list[str]]:
        """Run `work` in the one transaction."""
        async with self._turn:
            try:
                return await work(Transaction(self._tx, scope)), []
            except (Neo4jError, DriverError) as error:
                translated = _translate(error)
                if translated is None:
                    raise
                raise translated from error
