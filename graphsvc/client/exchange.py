"""One call over HTTP without the I/O: what to send, when to send it again, what the answer means.

Both clients drive the same generator, so that they cannot differ.
"""

import random
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel
from pydantic_core import to_json

from graphsvc.client.errors import RequestRefused, ServiceUnreachable, retry_after_s
from graphsvc.models.admin import Nothing
from graphsvc.models.common import Answer, WriteRequest
from graphsvc.models.reads import ReadRequest

A = TypeVar("A", bound=Answer)
Step = httpx.Request | float
"""Send this, or wait so many seconds."""
Outcome = httpx.Response | httpx.TransportError | None

_AGAIN_STATUSES: Final = frozenset({429, 503, 504})
_AGAIN_TYPES: Final = frozenset({"idempotency_running"})
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_FIRST_WAIT_S: Final = 0.1
_WAIT_MAX_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a call is tried in all. Waits double from 0.1 s to 5 s, with jitter, and heed Retry-After."""

    attempts: int = 5

    def wait_s(self, attempt: int, asked_s: float) -> float:
        """How long to wait after this attempt (from 0)."""
        backoff = min(_WAIT_MAX_S, _FIRST_WAIT_S * 2.0**attempt)
        return max(asked_s, backoff * random.uniform(0.5, 1.0))  # noqa: S311 - spreads retries, guards nothing


def request_headers(bookmark: str | None, idempotency_key: str | None) -> dict[str, str]:
    """The headers of a call beside its token."""
    headers = {"Content-Type": "application/json"}
    if bookmark is not None:
        headers["X-Bookmark"] = bookmark
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    return headers


def body_of(fields: Mapping[str, Any]) -> bytes:
    """Fields as JSON; None is the same as leaving a field out. Models, times and plain values alike."""
    given = {name: value for name, value in fields.items() if value is not None}
    return to_json(given, by_alias=True)


def new_key(request: type[BaseModel]) -> str | None:
    """An idempotency key for a write, so that trying it again cannot write it twice."""
    return uuid.uuid4().hex if issubclass(request, WriteRequest) else None


def may_repeat(request: type[BaseModel], idempotency_key: str | None) -> bool:
    """Whether a request whose fate is unknown may be sent again: reads, and writes under a key."""
    return idempotency_key is not None or issubclass(request, (ReadRequest, Nothing))


def exchange(
    request: httpx.Request, retry: Retry, *, repeatable: bool
) -> Generator[Step, Outcome, httpx.Response]:
    """Yields what to do next and is sent what came of it; returns the last response.

    A 429 or 503 was not carried out and is tried again whatever the request, but for an unknown outcome. Raises
    ServiceUnreachable.
    """
    for attempt in range(retry.attempts):
        last = attempt == retry.attempts - 1
        outcome = yield request
        if isinstance(outcome, httpx.TransportError):
            if last or not (repeatable or isinstance(outcome, _NOT_SENT)):
                raise ServiceUnreachable(f"{request.url.copy_with(query=None)}: {outcome}") from outcome
            yield retry.wait_s(attempt, 0)
            continue
        if not isinstance(outcome, httpx.Response):
            raise TypeError("a request was yielded: send back its response or its error")
        if last or not _try_again(outcome, repeatable=repeatable):
            return outcome
        yield retry.wait_s(attempt, retry_after_s(outcome))
    raise ValueError("attempts must be at least 1")


def _try_again(response: httpx.Response, *, repeatable: bool) -> bool:
    if response.status_code < 400:
        return False
    kind = RequestRefused.of(response).type
    if kind in _AGAIN_TYPES:
        return True
    if response.status_code not in _AGAIN_STATUSES:
        return False
    return repeatable or (response.status_code != 504 and kind != "outcome_unknown")


def understood(response: httpx.Response, answer: type[A]) -> A:
    """The answer of a response. Raises RequestRefused."""
    if response.status_code >= 400:
        raise RequestRefused.of(response)
    return answer.model_validate_json(response.content)
