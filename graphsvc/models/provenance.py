"""Requests and answers of provenance and the memory audit (spec 01, 08, 12)."""

from typing import Any

from pydantic import model_validator

from graphsvc.models.common import Answer, Flag, Identifier, SingleWrite
from graphsvc.models.reads import Framing, ReadRequest


class GetProvenance(ReadRequest):
    """Where a thing comes from, as a chain."""

    id: Identifier


class RetireByProvenance(SingleWrite):
    """Undo a bad run: retire everything that it created."""

    session_id: Identifier | None = None
    principal: Identifier | None = None
    request_id: Identifier | None = None
    load_id: Identifier | None = None
    dry_run: Flag = False

    @model_validator(mode="after")
    def _one_run(self) -> "RetireByProvenance":
        if sum(value is not None for value in self.run.values()) != 1:
            raise ValueError("name one of session_id, principal, request_id, load_id")
        return self

    @property
    def run(self) -> dict[str, str | None]:
        """What names the run."""
        return {
            "session_id": self.session_id,
            "principal": self.principal,
            "request_id": self.request_id,
            "load_id": self.load_id,
        }


class AuditMemory(ReadRequest):
    """A report of what is not as it should be; never a repair."""


class ChainAnswer(Answer):
    """The chain, from the thing itself to what it rests on."""

    framing: Framing
    chain: list[dict[str, Any]]


class UndoAnswer(Answer):
    """How many things of each kind were, or would be, retired."""

    would_retire: dict[str, int] | None = None
    retired: dict[str, int] | None = None


class AuditAnswer(Answer):
    """Problems by kind with their number and the first ids."""

    framing: Framing
    problems: list[dict[str, Any]]
