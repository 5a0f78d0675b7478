"""Errors as RFC 9457 problem details (spec 09, 12)."""

from typing import Any

import orjson
from starlette.responses import Response

from graphsvc.errors import GraphsvcError

PROBLEM_TYPE = "application/problem+json"


def problem_document(error: GraphsvcError, request_id: str) -> dict[str, Any]:
    """What a client is told: type, title, status, detail, errors with JSON paths, request id."""
    return {
        "type": f"/errors/{error.slug}",
        "title": error.title(),
        "status": error.status,
        "detail": error.detail,
        "errors": [{"path": problem.path, "reason": problem.reason} for problem in error.problems],
        "request_id": request_id,
    }


def problem_response(error: GraphsvcError, request_id: str) -> Response:
    """The response for an error, with Retry-After and WWW-Authenticate where they belong."""
    headers = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(
        orjson.dumps(problem_document(error, request_id)), error.status, headers, media_type=PROBLEM_TYPE
    )
