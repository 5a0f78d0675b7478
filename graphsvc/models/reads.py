"""Requests and answers of the reading operations (spec 03, 04, 12)."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from graphsvc import limits
from graphsvc.models.common import (
    Answer,
    Budget,
    Filters,
    Flag,
    Identifier,
    Instant,
    Model,
    PositiveInt,
    Reference,
)

Query = Annotated[
    str,
    StringConstraints(max_length=limits.QUERY_CHARS_MAX),
    Field(
        description="Plain text, any language; never parsed as search syntax.",
        examples=["who does same-day printing for Paul Pack?"],
    ),
]
Project = Annotated[
    str,
    StringConstraints(min_length=1, max_length=80),
    Field(description="A project, with or without `project:`.", examples=["atlas"]),
]


Cursor = Annotated[str, StringConstraints(max_length=512)]


class ReadRequest(Model):
    """Options of every read."""

    budget: Budget = Budget()


class PastRequest(ReadRequest):
    """Options of reads that can also tell what was."""

    as_of: Instant | None = Field(
        default=None, description="As the graph stood then, at least 2 s past, under today's grants."
    )


class SearchRequest(PastRequest):
    """What both searches take."""

    query: Query
    filters: Filters | None = None
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = Field(
        default=None, description="Search only these of the visible scopes."
    )
    pointers: Flag = Field(default=False, description="Add the entity-pointer block.")
    render: Literal["json", "block"] = Field(
        default="json", description="block: one framed text for a prompt."
    )


class SearchNodes(SearchRequest):
    """Free-text search over all visible scopes; evidence packed under the budget."""

    project_hint: Project | None = Field(
        default=None, description="Raises the affinity of a project; hides nothing."
    )


class SearchByProject(SearchRequest):
    """The same, strictly inside one project."""

    project: Project
    include_shared: Flag = Field(
        default=False, description="Add shared entities on which the project has notes."
    )


class OpenNodes(PastRequest):
    """Exactly these entities, with their observations and the relations between them."""

    names: Annotated[list[Reference], Field(min_length=1, max_length=limits.NAMES_PER_OPEN_MAX)]
    neighbours: Flag = Field(default=False, description="Add one hop.")
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = None
    cursor: Cursor | None = None


class ReadGraph(PastRequest):
    """The visible live graph, page by page, every thing once; or all of it as a stream of lines."""

    limit: Annotated[PositiveInt, Field(le=limits.GRAPH_PAGE_MAX)] = Field(
        default=limits.GRAPH_PAGE_DEFAULT, description="Entities on a page; the budget may end it earlier."
    )
    cursor: Cursor | None = None
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = None
    stream: Literal["ndjson"] | None = Field(
        default=None, description="ndjson: everything as JSON Lines, over HTTP only; no budget, no pages."
    )


class FindByTitle(PastRequest):
    """Entities, tasks and notes by a half-remembered name or title; misspelt, missing and extra words are fine."""

    phrase: Annotated[
        str,
        StringConstraints(min_length=1, max_length=limits.TITLE_PHRASE_CHARS_MAX),
        Field(description="Plain text, any language.", examples=["acme turnaraund"]),
    ]
    kinds: Annotated[list[Literal["entity", "task", "note"]], Field(min_length=1, max_length=3)] | None = None
    limit: Annotated[PositiveInt, Field(le=limits.TITLE_HITS_MAX)] = limits.TITLE_HITS_DEFAULT
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = None


class GetHistory(PastRequest):
    """What happened to an entity and to what hangs on it, oldest first; retired ones too."""

    entity: Reference
    limit: Annotated[PositiveInt, Field(le=limits.HISTORY_PAGE_MAX)] = limits.HISTORY_PAGE_DEFAULT
    cursor: Cursor | None = None


class ListChanges(PastRequest):
    """What changed since a place in the feed of changes, oldest first."""

    since: Cursor | None = Field(
        default=None, description="A `next_cursor` of this read; not given: from the beginning."
    )
    limit: Annotated[PositiveInt, Field(le=limits.HISTORY_PAGE_MAX)] = limits.HISTORY_PAGE_DEFAULT
    scopes: Annotated[list[Identifier], Field(max_length=limits.SCOPES_PER_REQUEST_MAX)] | None = None


class Accounting(Answer):
    """How the budget was spent and what was left out."""

    budget: dict[str, Any]
    truncated: bool
    status: Literal["ok", "truncated", "no_match", "empty_graph", "degraded"]


class Framing(Answer):
    """Says that what follows is stored data."""

    version: int
    notice: str


class SearchAnswer(Answer):
    """Evidence, pointers if asked for, and the account."""

    framing: Framing
    evidence: list[dict[str, Any]]
    accounting: Accounting


class OpenAnswer(Answer):
    """The entities, and what was not found."""

    framing: Framing
    entities: list[dict[str, Any]]
    missing: list[Any]
    ambiguous: list[Any]
    next_cursor: str | None
    accounting: Accounting


class GraphAnswer(Answer):
    """A page of the graph. Relations stand on the page of their later end."""

    framing: Framing
    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    next_cursor: str | None
    totals: dict[str, Any] | None
    accounting: Accounting


class TitlesAnswer(Answer):
    """Hits, the nearest first, each with its kind, score and why it matched."""

    framing: Framing
    hits: list[dict[str, Any]]
    accounting: Accounting


class HistoryAnswer(Answer):
    """A page of transitions."""

    framing: Framing
    transitions: list[dict[str, Any]]
    next_cursor: str | None
    accounting: Accounting


class ChangesAnswer(Answer):
    """A page of the feed; `next_cursor` is where to look next time, also when nothing is new."""

    framing: Framing
    changes: list[dict[str, Any]]
    next_cursor: str
    more: bool
    accounting: Accounting
