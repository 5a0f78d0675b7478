"""Behind every door: who asks, how often, and the one way to carry out an operation (spec 09).

HTTP routes and MCP tools differ in how a request arrives and how an answer leaves; all between is here.
"""

import hashlib
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from graphsvc import limits
from graphsvc.auth import Authenticator
from graphsvc.bookmarks import BookmarkSeal
from graphsvc.domain.budget import Limit
from graphsvc.domain.framing import json_text
from graphsvc.errors import InvalidRequest, MalformedBody, Problem, ScopeNotFound
from graphsvc.graph import Graph
from graphsvc.models.common import Budget, Model, problems_of
from graphsvc.operations.operation import Operation
from graphsvc.rate import RateLimiter
from graphsvc.resolvers.registry import Registry
from graphsvc.scope import Principal
from graphsvc.service.call import Call
from graphsvc.telemetry import REQUEST_ID, metrics


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived: the header that says who asks, its fields as sent, and what was said beside them."""

    authorization: str | None
    body: bytes
    bookmark: str | None = None
    idempotency_key: str | None = None
    takes_lines: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer: its body as sent, whether that is a block for a prompt, and whether it is a repeated one.

    `lines` is there instead of a body for an answer that is sent while it is made.
    """

    body: str
    is_block: bool = False
    replayed: bool = False
    lines: AsyncIterator[str] | None = None


class Doors:
    """What all doors share, made once a worker."""

    def __init__(
        self,
        graph: Graph,
        authenticator: Authenticator,
        seal: BookmarkSeal,
        rate: RateLimiter,
        resolvers: Registry,
    ) -> None:
        self.graph = graph
        self.authenticator = authenticator
        self.seal = seal
        self.rate = rate
        self.resolvers = resolvers

    async def principal(self, authorization: str | None, *, fresh: bool = False) -> Principal:
        """Who is asking, within the rate. Raises Unauthorized, RateLimited."""
        principal = await self.authenticator.authenticate(authorization, fresh=fresh)
        self.rate.take(principal.name)
        return principal

    async def run(self, operation: Operation, principal: Principal, request: Model, asked: Asked) -> Reply:
        """Carry out an operation. Raises Forbidden, InvalidRequest and whatever the operation raises."""
        principal.require(operation.needs)
        try:
            result = await operation.run(self._call(principal, asked), request)
        except ScopeNotFound:
            # The scope may be newer than what this worker remembers of the principal.
            refreshed = await self.authenticator.authenticate(asked.authorization, fresh=True)
            if refreshed == principal:
                raise
            result = await operation.run(self._call(refreshed, asked), request)
        if operation.changes_access:
            self.authenticator.forget()
        if isinstance(result, str):
            _measure_budget(operation, request, result)
            return Reply(result, is_block=getattr(request, "render", "json") == "block")
        if isinstance(result, AsyncIterator):
            if not asked.takes_lines:
                raise InvalidRequest(problems=[Problem("$.stream", "is for HTTP only")])
            return Reply("", lines=result)
        return self._written(result)

    def _written(self, result: dict[str, Any]) -> Reply:
        if "bookmarks" in result:
            result["bookmark"] = self.seal.seal(result.pop("bookmarks"))
        replayed = result.pop("replayed", False)
        return Reply(json_text(result), replayed=replayed)

    def _call(self, principal: Principal, asked: Asked) -> Call:
        key = asked.idempotency_key
        if key is not None and not 0 < len(key) <= limits.IDEMPOTENCY_KEY_CHARS_MAX:
            raise InvalidRequest(
                problems=[
                    Problem(
                        "header Idempotency-Key",
                        f"must have 1 to {limits.IDEMPOTENCY_KEY_CHARS_MAX} characters",
                    )
                ]
            )
        return Call(
            graph=self.graph,
            principal=principal,
            request_id=REQUEST_ID.get(),
            bookmarks=self.seal.open(asked.bookmark) if asked.bookmark else (),
            idempotency_key=key,
            body_sha256=hashlib.sha256(asked.body).hexdigest() if key else "",
            resolvers=self.resolvers,
        )


def read_request(operation: Operation, body: bytes) -> Model:
    """The request of an operation from JSON. Raises MalformedBody, InvalidRequest."""
    try:
        return operation.request.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise MalformedBody(problems=[Problem("$", first["msg"])]) from None
        raise InvalidRequest(problems=problems_of(error)) from None


def _measure_budget(operation: Operation, request: Model, body: str) -> None:
    """Note how much of its budget an answer used."""
    budget = getattr(request, "budget", None)
    if isinstance(budget, Budget):
        share = Limit(budget.unit, budget.limit).used(body) / budget.limit
        metrics.budget_used_share.labels(operation=operation.name).observe(share)


@contextmanager
def measured(operation: Operation) -> Iterator[None]:
    """Count and time one request of an operation, whatever becomes of it."""
    started = time.perf_counter()
    status = 500
    try:
        yield
        status = 200
    except Exception as error:
        status = getattr(error, "status", 500)
        raise
    finally:
        metrics.requests.labels(operation=operation.name, status=status).inc()
        metrics.request_seconds.labels(operation=operation.name).observe(time.perf_counter() - started)
