"""What an operation is: one row of the table of contents in `operations/__init__.py`."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from graphsvc.models.common import Answer, Model
from graphsvc.scope import Action
from graphsvc.service.call import Call

Tag = Literal["write", "read", "tasks", "claims", "documents", "admin"]
Run = Callable[[Call, Any], Awaitable[str | dict[str, Any] | AsyncIterator[str]]]
"""A use-case: answers with the body itself (reads, framed), with its lines (streams), or with plain data (writes)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: `POST /v1/<name>`, and also `GET` where `get` is true."""

    name: str
    tag: Tag
    needs: Action
    request: type[Model]
    answer: type[Answer]
    run: Run
    get: bool = False
    changes_access: bool = False
    media_type: str = "application/json"
    example: dict[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first line of the request's docstring."""
        return (self.request.__doc__ or self.name).strip().splitlines()[0].rstrip(".")
