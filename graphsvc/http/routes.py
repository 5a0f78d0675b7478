"""One route an operation, all made alike: authenticate, parse, run, answer."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, get_args

import orjson
from pydantic import BaseModel
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from graphsvc.doors import Asked, Doors, measured, read_request
from graphsvc.errors import UnsupportedMediaType
from graphsvc.http.timing import TIMES
from graphsvc.models.common import Model
from graphsvc.operations.operation import Operation

_JSON_TYPE: Final = "application/json"
_LINES_TYPE: Final = "application/x-ndjson"


def endpoint(operation: Operation, doors: Doors) -> Callable[[Request], Awaitable[Response]]:
    """The function behind the operation's route."""

    async def answer(request: Request) -> Response:
        with measured(operation):
            return await _answer(operation, doors, request)

    answer.__name__ = operation.name
    answer.__doc__ = operation.run.__doc__
    return answer


async def _answer(operation: Operation, doors: Doors, request: Request) -> Response:
    headers = request.headers
    authorization = headers.get("authorization")
    # With a bookmark the caller has just changed something, perhaps scopes through another worker: look again.
    principal = await doors.principal(authorization, fresh="x-bookmark" in headers)
    principal.require(operation.needs)
    body = b"" if request.method == "GET" else await request.body()
    parsed = parse(operation, request, body)
    times = TIMES.get()
    if times is not None:
        times.mark_parsed()
    asked = Asked(authorization, body, headers.get("x-bookmark"), headers.get("idempotency-key"), True)
    reply = await doors.run(operation, principal, parsed, asked)
    if reply.lines is not None:
        return StreamingResponse(reply.lines, media_type=_LINES_TYPE)
    return Response(
        reply.body,
        headers={"Idempotent-Replayed": "true"} if reply.replayed else None,
        media_type="text/plain; charset=utf-8" if reply.is_block else operation.media_type,
    )


def parse(operation: Operation, request: Request, body: bytes) -> Model:
    """The request as its model. Raises MalformedBody, InvalidRequest, UnsupportedMediaType."""
    if request.method == "GET":
        return read_request(operation, orjson.dumps(_query_payload(operation, request.query_params)))
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != _JSON_TYPE:
        raise UnsupportedMediaType
    return read_request(operation, body)


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
