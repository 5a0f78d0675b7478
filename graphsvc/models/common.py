"""Field types and pieces that many requests share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from graphsvc import limits
from graphsvc.domain.names import check_display_text, check_name
from graphsvc.domain.source_ref_schema import SourceRefField
from graphsvc.errors import Problem

T = TypeVar("T")


class Model(BaseModel):
    """A request or a part of one: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Answer(BaseModel):
    """An answer: fields may be added within v1."""

    model_config = ConfigDict(extra="allow")


def json_path(location: Sequence[str | int]) -> str:
    """A pydantic error location as a JSON path: `$.entities[0].name`. Names of union members are left out."""
    path = "$"
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part.isidentifier() and not part[0].isupper():
            path += f".{part}"
    return path


_REASONS: Final = {"missing": "is required", "extra_forbidden": "is not a field of this request"}


def problems_of(error: ValidationError, prefix: Sequence[str | int] = ()) -> list[Problem]:
    """What is wrong, path by path, without echoing the input."""
    found: dict[str, Problem] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        path = json_path([*prefix, *item["loc"]])
        reason = _REASONS.get(item["type"], item["msg"].removeprefix("Value error, "))
        found.setdefault(f"{path} {reason}", Problem(path, reason))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class InvalidItem:
    """An item of a batch that does not fit its model; it gets its own outcome and spoils no other."""

    problems: tuple[Problem, ...]


def _or_invalid(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError as error:
        return InvalidItem(tuple(problems_of(error)))


ItemOrInvalid = WrapValidator(_or_invalid)
"""Put on an item type, it turns a validation error into an InvalidItem."""


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def _text_only(value: Any) -> Any:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise ValueError("must be a time in ISO 8601 with a time zone, as text")
    return value


def _years(value: datetime) -> datetime:
    if not 1 <= value.year <= 9999:
        raise ValueError("is out of range")
    return value


Instant = Annotated[AwareDatetime, BeforeValidator(_text_only), AfterValidator(_utc), AfterValidator(_years)]
"""A point in time: ISO 8601 with a time zone (a time without one is refused). Kept in UTC."""

Name = Annotated[
    str, AfterValidator(check_name), Field(examples=["Acme Print"], min_length=1, max_length=1_024)
]
KindName = Annotated[
    str,
    AfterValidator(lambda text: check_display_text(text, limits.KIND_CHARS_MAX)),
    Field(examples=["organization"], min_length=1),
]
RelationTypeName = Annotated[
    str,
    AfterValidator(lambda text: check_display_text(text, limits.RELATION_TYPE_CHARS_MAX)),
    Field(examples=["supplies"], min_length=1),
]
SCOPE_PATTERN: Final = rf"^(shared|project:[a-z0-9\-_.]{{1,{limits.SCOPE_SLUG_CHARS_MAX}}})$"
ScopeId = Annotated[str, StringConstraints(pattern=SCOPE_PATTERN), Field(examples=["project:atlas"])]
ExternalId = Annotated[
    str,
    StringConstraints(
        pattern=r"^[^\s:\x00-\x1f\x7f-\x9f][^\s:\x00-\x1f\x7f-\x9f]*:[^\x00-\x1f\x7f-\x9f\n]*[^\s\x00-\x1f\x7f-\x9f]$",
        max_length=limits.EXTERNAL_ID_CHARS_MAX,
    ),
    Field(examples=["crm:17"]),
]
Identifier = Annotated[
    str,
    StringConstraints(
        min_length=1, max_length=limits.PROVENANCE_ID_CHARS_MAX, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$"
    ),
]


class IdReference(Model):
    """An entity by its id."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=64)] = Field(examples=["ent_01890a5d"])


class ExternalIdReference(Model):
    """An entity by one of its external ids."""

    external_id: ExternalId


def tag_of(value: Any) -> str:
    """Which member of a union is meant, so that an error is about that one only. Tags never show in JSON paths."""
    if isinstance(value, str):
        return "Text"
    if isinstance(value, ExternalIdReference) or (isinstance(value, dict) and "external_id" in value):
        return "ExternalId"
    return "Object"


Reference = Annotated[
    Annotated[IdReference, Tag("Object")]
    | Annotated[ExternalIdReference, Tag("ExternalId")]
    | Annotated[Name, Tag("Text")],
    Discriminator(tag_of),
    Field(description="An entity: its name, an alias, or its id.", examples=["Acme Print"]),
]

Flag = StrictBool
PositiveInt = Annotated[StrictInt, Field(ge=1)]


class Provenance(Model):
    """Where a write comes from; stored with every transition it causes (spec 08)."""

    session_id: Identifier | None = None
    chunk_ref: Identifier | None = None
    tool: Identifier | None = None
    decision_id: Identifier | None = None
    source_ref: SourceRefField | None = None


class WriteRequest(Model):
    """Options of every write."""

    scope: ScopeId | None = Field(
        default=None, description="Where to write; default: the principal's default scope."
    )
    atomic: Flag = Field(default=False, description="All items or none: any problem refuses the whole batch.")
    provenance: Provenance | None = None


class SingleWrite(WriteRequest):
    """A write of one item, which is the request itself."""

    @property
    def items(self) -> list["SingleWrite"]:
        """As a batch of one."""
        return [self]


class Budget(Model):
    """The size that the whole response body may have."""

    unit: Literal["chars", "bytes", "tokens"] = Field(
        default="chars", description="tokens = UTF-8 bytes / 4, rounded up."
    )
    limit: Annotated[StrictInt, Field(ge=1, le=limits.BUDGET_LIMIT_MAX)] = limits.BUDGET_LIMIT_DEFAULT


class Filters(Model):
    """What a search may return."""

    kinds: Annotated[list[KindName], Field(max_length=64)] | None = None
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = None
    since: Instant | None = Field(default=None, description="Observed (or else created) at or after.")
    until: Instant | None = Field(default=None, description="Observed (or else created) before.")
