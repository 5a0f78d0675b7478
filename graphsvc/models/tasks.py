"""Requests and answers of tasks, notes and their links (spec 07, 12)."""

from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, StrictFloat, StringConstraints, Tag

from graphsvc import limits
from graphsvc.domain.names import check_display_text
from graphsvc.models.common import (
    Answer,
    Flag,
    Identifier,
    IdReference,
    Instant,
    ItemOrInvalid,
    Model,
    PositiveInt,
    Reference,
    SingleWrite,
    WriteRequest,
    tag_of,
)
from graphsvc.models.reads import Framing, PastRequest, ReadRequest
from graphsvc.models.writes import PropertyKey, check_text

Title = Annotated[
    str,
    AfterValidator(lambda text: check_display_text(text, limits.TASK_TITLE_CHARS_MAX)),
    Field(examples=["Order the boxes"], min_length=1),
]
Body = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.TASK_BODY_CHARS_MAX),
    AfterValidator(check_text),
    Field(examples=["ask Acme Print"]),
]
TaskStatus = Literal["open", "doing", "done", "dropped"]


def _midnight(value: date | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time(), UTC)


Due = Annotated[
    Instant | Annotated[date, Field(strict=False)],
    AfterValidator(_midnight),
    Field(description="An instant, or a day, which stands for its midnight in UTC.", examples=["2026-12-01"]),
]


class TaskExternalId(Model):
    """A task or note by its external id."""

    external_id: Identifier


TaskReference = Annotated[
    Annotated[IdReference, Tag("Object")]
    | Annotated[TaskExternalId, Tag("ExternalId")]
    | Annotated[Identifier, Tag("Text")],
    Discriminator(tag_of),
    Field(description="A task: its id or its external id.", examples=["task_01890a5d"]),
]


class NoteInput(Model):
    """A note: something to remember as a whole."""

    title: Title
    body: Body | None = None
    external_id: Identifier | None = Field(default=None, description="Unique in its scope.")


class TaskInput(NoteInput):
    """A task: something to do."""

    status: TaskStatus = "open"
    due: Due | None = None


class CreateTasks(WriteRequest):
    """Create tasks; one whose external id is there is found or revived."""

    tasks: Annotated[
        list[Annotated[TaskInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class CreateNotes(WriteRequest):
    """Create notes; one whose external id is there is found or revived."""

    notes: Annotated[
        list[Annotated[NoteInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class NoteUpdate(Model):
    """Other content for a note; fields not given stay, `null` clears body."""

    note: TaskReference
    title: Title | None = None
    body: Body | None = None


class TaskUpdate(Model):
    """Other content for a task; fields not given stay, `null` clears body and due."""

    task: TaskReference
    title: Title | None = None
    body: Body | None = None
    status: TaskStatus | None = None
    due: Due | None = None


class UpdateTasks(WriteRequest):
    """Change tasks: title, body, status, due."""

    items: Annotated[
        list[Annotated[TaskUpdate, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class UpdateNotes(WriteRequest):
    """Change notes: title, body."""

    items: Annotated[
        list[Annotated[NoteUpdate, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class RetireById(WriteRequest):
    """Retire tasks, notes, documents, candidates and claims by id; unknown ones contribute zero."""

    ids: Annotated[list[Identifier], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)]


class ReviveById(RetireById):
    """Revive tasks, notes, documents, candidates and claims by id; unknown and live ones contribute zero."""


Reason = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.REASON_CHARS_MAX), AfterValidator(check_text)
]


class LinkTaskEntity(SingleWrite):
    """Link a task to an entity: made once, upgraded from an automatic link, or revived."""

    task: TaskReference
    entity: Reference
    origin: Literal["manual", "auto"] = Field(
        default="manual", description="auto: loads and service principals only, with a score."
    )
    score: Annotated[StrictFloat, Field(ge=0, le=1)] | None = Field(
        default=None, description="With auto only; not given: as the service itself scores the pair."
    )
    signals: (
        Annotated[
            dict[PropertyKey, Annotated[StrictFloat, Field(allow_inf_nan=False)]],
            Field(max_length=limits.LINK_SIGNALS_MAX),
        ]
        | None
    ) = None
    scorer_version: Identifier | None = None


class UnlinkTaskEntity(SingleWrite):
    """Remove a link; the edge stays as evidence."""

    task: TaskReference
    entity: Reference
    reason: Reason | None = None


class RejectSuggestion(UnlinkTaskEntity):
    """Record that a task and an entity do not belong together; it is not suggested again."""


class ListRequest(PastRequest):
    """A page of a list."""

    limit: Annotated[PositiveInt, Field(le=limits.LIST_PAGE_MAX)] = limits.LIST_PAGE_DEFAULT
    cursor: Annotated[str, StringConstraints(max_length=512)] | None = None


class GetTaskLinks(ListRequest):
    """The entities that a task is linked to."""

    task: TaskReference
    include_removed: Flag = Field(default=False, description="Also links that were removed, for evaluation.")


class GetEntityTasks(ListRequest):
    """The tasks that are linked to an entity."""

    entity: Reference
    include_removed: Flag = Field(default=False, description="Also links that were removed, for evaluation.")


class SuggestTaskLinks(ReadRequest):
    """Entities that a task may be about, with the reasons; never links."""

    task: TaskReference
    limit: Annotated[PositiveInt, Field(le=limits.SUGGESTIONS_MAX)] = limits.SUGGESTIONS_DEFAULT


class ExportLinkLabels(Model):
    """Accepted and rejected pairs with their signals, as JSON Lines."""

    limit: Annotated[PositiveInt, Field(le=limits.LABELS_PAGE_MAX)] = limits.LABELS_PAGE_MAX
    cursor: Annotated[str, StringConstraints(max_length=512)] | None = None


class OutcomeAnswer(Answer):
    """What became of the request."""

    outcome: str
    id: str | None = None
    request_id: str
    bookmark: str


class RemovedAnswer(Answer):
    """How many links were removed."""

    removed: int
    request_id: str
    bookmark: str


class RevivedAnswer(Answer):
    """How many things were revived."""

    revived: int
    request_id: str
    bookmark: str


class LinksAnswer(Answer):
    """A page of links."""

    framing: Framing
    links: list[dict[str, Any]]
    next_cursor: str | None


class SuggestionsAnswer(Answer):
    """Suggestions, the best first, with the scorer's version."""

    framing: Framing
    suggestions: list[dict[str, Any]]
    scorer_version: str


class LinesAnswer(Answer):
    """JSON Lines: a framing line, one line a record, and a last line with the count and the next cursor."""
