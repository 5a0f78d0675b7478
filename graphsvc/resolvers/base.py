"""What a resolver is: it turns the address in a source_ref into the bytes of a document (spec 05).

A resolver answers with a ResolvedDocument, or raises
- NotFound, the same for missing, not allowed, another scope, an escape from its root, a link out of it;
- DocumentProblem with a code, when the document is there for this caller but cannot be given;
- InvalidRequest, when `ref` or `state` do not have the shape that this resolver needs;
- Unavailable, when its source cannot be reached.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from graphsvc.errors import InvalidRequest
from graphsvc.models.common import problems_of
from graphsvc.scope import Scope

Tier = Literal["reproducible", "best_effort"]
ProblemCode = Literal[
    "content_hash_mismatch",
    "excerpt_hash_mismatch",
    "quote_not_found",
    "quote_ambiguous",
    "position_out_of_range",
    "heading_not_found",
    "heading_ambiguous",
    "locator_unknown",
    "commit_unknown",
    "resolver_unknown",
    "resolver_disabled",
    "too_large",
    "binary",
]
PROBLEM_CODES: Final[tuple[ProblemCode, ...]] = get_args(ProblemCode)
ENTRY_POINT_GROUP: Final = "graphsvc.resolvers"

ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ResolvedDocument:
    """The whole document, and the keys of `state` that were checked on the way and held."""

    content: bytes
    state_held: frozenset[str] = field(default_factory=frozenset)


class DocumentProblem(Exception):
    """The document is there for the caller, but cannot be given; `code` says why."""

    def __init__(self, code: ProblemCode) -> None:
        self.code: ProblemCode = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a document is: `ref` and `state` of a source_ref, as they came."""

    ref: Mapping[str, Any]
    state: Mapping[str, Any]

    def parse_ref(self, model: type[ModelT]) -> ModelT:
        """`ref` as a resolver needs it; InvalidRequest names the JSON path."""
        return parse_part(model, self.ref, "ref")

    def parse_state(self, model: type[ModelT]) -> ModelT:
        """`state` as a resolver needs it; InvalidRequest names the JSON path."""
        return parse_part(model, self.state, "state")


class Resolver(Protocol):
    """One kind of address. `reproducible`: the same reference gives the same bytes for ever."""

    tier: Tier

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The document at `address` for a caller who sees `scope`. Errors: see the module."""


class DocumentStore(Protocol):
    """Documents kept in the graph, as seen by the `graph_doc` resolver."""

    async def read_document(self, scope: Scope, doc_id: str, chunk_id: str | None) -> bytes | None:
        """The text of a live document (or of one chunk of it) in a visible scope, in UTF-8; else None."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a resolver is made from: its table `[resolvers.NAME]`, if there is one, and the graph's
    documents."""

    table: Mapping[str, Any] | None
    documents: DocumentStore | None


Factory = Callable[[Setup], Resolver | None]
"""What an entry point names. Answers None when the resolver is off; raises ConfigurationError for a table
that does not fit."""


class Part(BaseModel):
    """The keys of `ref` or `state` that a resolver needs; others are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


def parse_part(model: type[ModelT], value: Mapping[str, Any], part: str) -> ModelT:
    """Read `ref`, `state` or another part of a source_ref; InvalidRequest names the JSON path."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InvalidRequest(
            f"the {part} of the source_ref does not fit its resolver",
            problems_of(error, ("source_ref", part)),
        ) from error
