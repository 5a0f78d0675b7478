"""One route an operation, all made alike: authenticate, parse, run, answer."""

import hashlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, get_args

import orjson
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from graphsvc import limits
from graphsvc.auth import Authenticator
from graphsvc.bookmarks import BookmarkSeal
from graphsvc.domain.framing import json_text
from graphsvc.errors import InvalidRequest, MalformedBody, Problem, ScopeNotFound, UnsupportedMediaType
from graphsvc.graph import Graph
from graphsvc.http.rate import RateLimiter
from graphsvc.http.timing import TIMES
from graphsvc.models.common import problems_of
from graphsvc.operations import Operation
from graphsvc.scope import Principal
from graphsvc.service.call import Call
from graphsvc.telemetry import REQUEST_ID, metrics

_JSON_TYPE: Final = "application/json"


class Doors:
    """What routes need, made once a worker."""

    def __init__(
        self, graph: Graph, authenticator: Authenticator, seal: BookmarkSeal, rate: RateLimiter
    ) -> None:
        self.graph = graph
        self.authenticator = authenticator
        self.seal = seal
        self.rate = rate

    async def principal(self, request: Request, *, fresh: bool = False) -> Principal:
        """Who is asking, within the rate. Raises Unauthorized, RateLimited."""
        principal = await self.authenticator.authenticate(request.headers.get("authorization"), fresh=fresh)
        self.rate.take(principal.name)
        return principal

    def call(self, request: Request, principal: Principal, body: bytes) -> Call:
        """The call that a use-case gets. Raises InvalidRequest for headers that do not fit."""
        sealed = request.headers.get("x-bookmark")
        key = request.headers.get("idempotency-key")
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
            bookmarks=self.seal.open(sealed) if sealed else (),
            idempotency_key=key,
            body_sha256=hashlib.sha256(body).hexdigest() if key else "",
        )


def endpoint(operation: Operation, doors: Doors) -> Callable[[Request], Awaitable[Response]]:
    """The function behind the operation's route."""

    async def answer(request: Request) -> Response:
        started = time.perf_counter()
        status = 500
        try:
            response = await _answer(operation, doors, request)
            status = response.status_code
        except Exception as error:
            status = getattr(error, "status", 500)
            raise
        finally:
            metrics.requests.labels(operation=operation.name, status=status).inc()
            metrics.request_seconds.labels(operation=operation.name).observe(time.perf_counter() - started)
        return response

    answer.__name__ = operation.name
    answer.__doc__ = operation.run.__doc__
    return answer


async def _answer(operation: Operation, doors: Doors, request: Request) -> Response:
    # With a bookmark the caller has just changed something, perhaps scopes through another worker: look again.
    principal = await doors.principal(request, fresh="x-bookmark" in request.headers)
    principal.require(operation.needs)
    body = b"" if request.method == "GET" else await request.body()
    parsed = parse(operation, request, body)
    call = doors.call(request, principal, body)
    times = TIMES.get()
    if times is not None:
        times.mark_parsed()
    try:
        result = await operation.run(call, parsed)
    except ScopeNotFound:
        # The scope may be newer than what this worker remembers of the principal.
        refreshed = await doors.authenticator.authenticate(request.headers.get("authorization"), fresh=True)
        if refreshed == principal:
            raise
        result = await operation.run(doors.call(request, refreshed, body), parsed)
    if operation.changes_access:
        doors.authenticator.forget()
    if isinstance(result, str):
        is_block = getattr(parsed, "render", "json") == "block"
        return Response(result, media_type="text/plain; charset=utf-8" if is_block else _JSON_TYPE)
    headers = {}
    if "bookmarks" in result:
        result["bookmark"] = doors.seal.seal(result.pop("bookmarks"))
    if result.pop("replayed", False):
        headers["Idempotent-Replayed"] = "true"
    return Response(json_text(result), headers=headers, media_type=_JSON_TYPE)


def parse(operation: Operation, request: Request, body: bytes) -> BaseModel:
    """The request as its model. Raises MalformedBody, InvalidRequest, UnsupportedMediaType."""
    try:
        if request.method == "GET":
            return operation.request.model_validate_json(
                orjson.dumps(_query_payload(operation, request.query_params))
            )
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != _JSON_TYPE:
            raise UnsupportedMediaType
        return operation.request.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise MalformedBody(problems=[Problem("$", first["msg"])]) from None
        raise InvalidRequest(problems=problems_of(error)) from None


def _query_payload(operation: Operation, params: QueryParams) -> dict[str, Any]:
    """Query parameters as the JSON that a POST would carry: `budget.limit=4000`, `pointers=true`, repeated `names`."""
    payload: dict[str, Any] = {}
    for name in params:
        values = params.getlist(name)
        target, _, leaf = name.rpartition(".")
        place = payload.setdefault(target, {}) if target else payload
        model = _model_of(operation.request, target) if target else operation.request
        annotation = str(model.model_fields[leaf].annotation) if model and leaf in model.model_fields else ""
        if "list[" in annotation:
            place[leaf] = values
        elif annotation in {"<class 'bool'>", "<class 'int'>"} or "int" in annotation.split("["):
            try:
                place[leaf] = orjson.loads(values[-1])
            except orjson.JSONDecodeError:
                place[leaf] = values[-1]
        else:
            place[leaf] = values[-1]
    return payload


def _model_of(model: type[BaseModel], field: str) -> type[BaseModel] | None:
    if field not in model.model_fields:
        return None
    annotation = model.model_fields[field].annotation
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
