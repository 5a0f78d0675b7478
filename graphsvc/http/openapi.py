"""The OpenAPI document, made from the table of operations (spec 09)."""

from typing import Any, Final, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from graphsvc import errors
from graphsvc.operations import OPERATIONS
from graphsvc.operations.operation import Operation
from graphsvc.problems import PROBLEM_TYPE

Mode = Literal["validation", "serialization"]
_REF: Final = "#/components/schemas/{model}"
_BLOCK_OPERATIONS: Final = frozenset({"search_nodes", "search_by_project"})


class ProblemDetails(BaseModel):
    """An RFC 9457 problem."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, str]]
    request_id: str


def error_classes() -> list[type[errors.GraphsvcError]]:
    """Every error a client can meet, by status and slug."""
    found: set[type[errors.GraphsvcError]] = set()
    open_ = [errors.GraphsvcError]
    while open_:
        for child in open_.pop().__subclasses__():
            if child.__module__ == errors.__name__:
                found.add(child)
                open_.append(child)
    return sorted(found, key=lambda error: (error.status, error.slug))


def describe(app: FastAPI) -> dict[str, Any]:
    """The document; made once and kept."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    models: list[tuple[type[BaseModel], Mode]] = [(op.request, "validation") for op in OPERATIONS.values()]
    models += [(op.answer, "serialization") for op in OPERATIONS.values()]
    references, definitions = models_json_schema(
        [*models, (ProblemDetails, "serialization")], ref_template=_REF
    )
    components = document.setdefault("components", {})
    components["schemas"] = definitions.get("$defs", {})
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for operation in OPERATIONS.values():
        request_ref = references[(operation.request, "validation")]
        answer_ref = references[(operation.answer, "serialization")]
        path = document["paths"].setdefault(f"/v1/{operation.name}", {})
        path["post"] = _post(operation, request_ref, answer_ref)
    document["tags"] = [
        {"name": tag} for tag in ("read", "write", "tasks", "claims", "documents", "admin", "health")
    ]
    app.openapi_schema = document
    return document


def _post(operation: Operation, request_ref: dict[str, Any], answer_ref: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {operation.media_type: {"schema": answer_ref}}
    if operation.name in _BLOCK_OPERATIONS:
        content["text/plain"] = {"schema": {"type": "string"}}
    problem = {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(model="ProblemDetails")}}}
    statuses = sorted({error.status for error in error_classes()} - {405})
    return {
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": (operation.run.__doc__ or "").strip(),
        "operationId": operation.name,
        "security": [{"token": []}],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": request_ref, "example": operation.example}},
        },
        "responses": {
            "200": {"description": "Done", "content": content},
            **{str(status): {"description": _titles(status), "content": problem} for status in statuses},
        },
    }


def _titles(status: int) -> str:
    return "; ".join(error.title() for error in error_classes() if error.status == status)
