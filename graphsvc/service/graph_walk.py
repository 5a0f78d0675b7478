"""read_graph: the visible live graph page by page, and as a stream (spec 03).

A walk goes by entity id, which never changes, up to the last id there was when it began: so whatever others write
meanwhile, an entity that is live throughout comes exactly once, and the walk ends. Within an entity it goes by the
ids of its observations and then of the relations of which it is the later end. A cursor holds the place, that last id
and the totals of the first page.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from graphsvc import limits
from graphsvc.cursor import decode_cursor, encode_cursor, invalid_cursor
from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.framing import FRAMING, json_body, json_text
from graphsvc.errors import DeadlineExceeded, GraphsvcError
from graphsvc.graph import DEADLINE, Row
from graphsvc.models.reads import ReadGraph
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.opening import entity_record, observation_record, relation_properties
from graphsvc.service.past import Past
from graphsvc.service.past_graph import past_page

_ITEM_CHARS_MIN: Final = 120
"""What an observation or relation takes in an answer at the least, its ids included."""
_BEHIND: Final = "~"
"""Put after an id: a place behind it and before every other id."""
_LONGEST_ID: Final = "ent_" + "f" * 32
_TOTALS: Final = ("entities", "observations", "relations", "at")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a walk goes on: at this entity, after this of its items; `last` is where it ends."""

    entity: str
    item: str
    last: str
    totals: dict[str, Any] | None

    def cursor(self) -> str:
        """As the client keeps it."""
        totals = [self.totals[name] for name in _TOTALS] if self.totals else None
        return encode_cursor("graph", [self.entity, self.item, self.last, totals])


@dataclass(slots=True)
class Page:
    """Records of one page, and where the next begins."""

    entities: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    next_place: Place | None = None
    is_cut: bool = False

    @property
    def observations(self) -> int:
        """How many observations it has."""
        return sum(len(record["observations"]) for record in self.entities)


async def read_graph(call: Call, request: ReadGraph) -> str | AsyncIterator[str]:
    """A page of the visible live graph, with the totals of the walk's first page; or all of it as a stream of lines.

    What is live throughout a walk is in it exactly once; a record with `continued` goes on with an entity whose other
    observations stood on an earlier page. `totals` is null when counting took too long.
    """
    scope = call.principal.read_scope(request.scopes).narrowed()
    past = Past(call, scope, request.as_of) if request.as_of is not None else None
    place = _place(request.cursor) or await _start(call, scope, past)
    if request.stream == "ndjson":
        return _stream(call, scope, place, past)
    limit = Limit(request.budget.unit, request.budget.limit)
    rows, more = await _rows(call, scope, place, request.limit, limit.room, past)
    return _deliver(rows, place, limit, more=more)


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    match decode_cursor(cursor, "graph"):
        case [str(entity), str(item), str(last), None]:
            return Place(entity, item, last, None)
        case [str(entity), str(item), str(last), [int(), int(), int(), str()] as totals]:
            return Place(entity, item, last, dict(zip(_TOTALS, totals, strict=True)))
        case _:
            raise invalid_cursor()


async def _start(call: Call, scope: Scope, past: Past | None) -> Place:
    if past is not None:
        last = (await past.read("past/graph_end"))[0]["last"] or ""
        then: dict[str, Any] | None = None
        with suppress(TimeoutError, DeadlineExceeded):
            async with asyncio.timeout(limits.GRAPH_TOTALS_S_MAX):
                then = {**(await past.read("past/graph_totals"))[0], "at": _milliseconds(past.as_of)}
        return Place("", "", last, then)
    ends = await call.graph.read(scope, "read/graph_end", bookmarks=call.bookmarks)
    totals: dict[str, Any] | None = None
    with suppress(TimeoutError, DeadlineExceeded):
        async with asyncio.timeout(limits.GRAPH_TOTALS_S_MAX):
            counted = await call.graph.read(scope, "read/graph_totals", bookmarks=call.bookmarks)
            totals = {**counted[0], "at": _milliseconds(counted[0]["at"].to_native())}
    return Place("", "", ends[0]["last"] or "", totals)


def _milliseconds(at: datetime) -> str:
    # The same number of characters every time, as all that a page says depends on its size.
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def _rows(
    call: Call, scope: Scope, place: Place, page: int, room: int, past: Past | None
) -> tuple[list[tuple[Row, bool]], bool]:
    """The page's entities, each with whether more of its items are left; and whether more entities follow."""
    items_max = min(limits.OPEN_OBSERVATIONS_PER_ENTITY_MAX, room // _ITEM_CHARS_MIN + 1)
    if past is not None:
        found = await past_page(past, place.entity, place.item, place.last, page + 1, items_max)
        return _taken(found, page, items_max)
    rows = await call.graph.read(
        scope,
        "read/graph_page",
        bookmarks=call.bookmarks,
        **{"from": place.entity},
        after_item=place.item,
        last=place.last,
        page=page + 1,
        items_max=items_max,
    )
    return _taken(rows[0]["entities"], page, items_max)


def _taken(found: list[Row], page: int, items_max: int) -> tuple[list[tuple[Row, bool]], bool]:
    taken: list[tuple[Row, bool]] = []
    for row in found[:page]:
        if len(row["observations"]) == items_max:
            row["relations"] = []  # they come after the last observation
        taken.append((row, len(row["observations"]) == items_max or len(row["relations"]) == items_max))
    return taken, len(found) > page


def _records(row: Row, place: Place) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The head of an entity, its observations, and the relations that stand with it."""
    entity = row["entity"]
    head: dict[str, Any] = {
        "entity": entity_record(entity),
        "observations": [],
        "continued": entity["id"] == place.entity and place.item != "",
    }
    relations = [
        {
            "id": relation["id"],
            "type": relation["type"],
            "scope": relation["scope"],
            "from": _end(relation["from"]),
            "to": _end(relation["to"]),
            "properties": relation_properties(relation["properties"]),
        }
        for relation in row["relations"]
    ]
    return head, [observation_record(observation) for observation in row["observations"]], relations


def _end(entity: Row) -> dict[str, Any]:
    return {"id": entity["id"], "name": entity["name"], "kind": entity["kind"]}


def _fill(rows: list[tuple[Row, bool]], place: Place, limit: Limit, left: int, *, more: bool) -> Page:
    """Whole records in order until one does not fit."""
    page = Page()
    for row, has_more in rows:
        head, observations, relations = _records(row, place)
        entity_id = head["entity"]["id"]
        left -= limit.size(json_text(head)) + 1
        if left < 0:
            return _cut(page, place, entity_id, "")
        page.entities.append(head)
        after = ""
        items = [(item, head["observations"]) for item in observations]
        items += [(item, page.relations) for item in relations]
        for item, into in items:
            left -= limit.size(json_text(item)) + 1
            if left < 0:
                if not after:
                    page.entities.pop()
                return _cut(page, place, entity_id, after)
            into.append(item)
            after = item["id"]
        if has_more:
            page.next_place = Place(entity_id, after, place.last, place.totals)
            return page
    if more and rows:
        last_id = rows[-1][0]["entity"]["id"]
        page.next_place = Place(last_id + _BEHIND, "", place.last, place.totals)
    return page


def _cut(page: Page, place: Place, entity_id: str, after: str) -> Page:
    # Where nothing more of a continued entity fits, the place stays where it was.
    after = after or (place.item if entity_id == place.entity else "")
    page.next_place = Place(entity_id, after, place.last, place.totals)
    page.is_cut = True
    return page


def _deliver(rows: list[tuple[Row, bool]], place: Place, limit: Limit, *, more: bool) -> str:
    answer: dict[str, Any] = {"entities": [], "relations": []}
    answer["next_cursor"] = Place(_LONGEST_ID, _LONGEST_ID, _LONGEST_ID, place.totals).cursor()
    answer["totals"] = place.totals
    items = sum(len(row["observations"]) + len(row["relations"]) for row, _ in rows)
    accounting: dict[str, Any] = {
        "budget": {"unit": limit.unit, "limit": limit.limit, "used": limit.limit},
        "entities": {"returned": len(rows)},
        "observations": {"returned": items},
        "relations": {"returned": items},
        "truncated": False,
        "status": "empty_graph",
    }
    answer["accounting"] = accounting
    page = _fill(rows, place, limit, limit.room - limit.size(json_body(answer)), more=more)
    answer |= {
        "entities": page.entities,
        "relations": page.relations,
        "next_cursor": page.next_place.cursor() if page.next_place else None,
    }
    accounting |= {
        "entities": {"returned": len(page.entities)},
        "observations": {"returned": page.observations},
        "relations": {"returned": len(page.relations)},
        "truncated": page.is_cut,
        "status": "truncated" if page.is_cut else "ok" if rows else "empty_graph" if not place.last else "ok",
    }
    body = settle(limit, accounting, lambda: json_body(answer))
    if page.is_cut and not page.entities:
        # A page that pages on must hold something, or a reader would turn it for ever.
        head, observations, relations = _records(rows[0][0], place)
        first = [head, *(observations or relations)[:1]]
        raise too_small(limit, limit.used(body + json_text(first) + answer["next_cursor"]) + 8)
    if limit.used(body) > limit.limit:
        raise too_small(limit, limit.used(body))
    return body


async def _stream(call: Call, scope: Scope, place: Place, past: Past | None) -> AsyncIterator[str]:
    """JSON Lines: the framing, one line an entity and one a relation, and a last line with the counts.

    A stream that could not be finished ends in a line with `error` instead: without the counts it is not whole. Each
    page has the time of one request.
    """
    deadline = DEADLINE.get()
    page_s = deadline - time.monotonic() if deadline is not None else None
    counts = {"entities": 0, "observations": 0, "relations": 0}
    wide = Limit("chars", limits.GRAPH_STREAM_PAGE_CHARS)
    yield f"{json_text({'framing': FRAMING})}\n"
    next_place: Place | None = place
    while next_place is not None:
        DEADLINE.set(time.monotonic() + page_s if page_s is not None else None)
        try:
            rows, more = await _rows(call, scope, next_place, limits.GRAPH_PAGE_MAX, wide.room, past)
        except GraphsvcError as error:
            yield f"{json_text({'error': {'type': f'/errors/{error.slug}', 'title': error.title()}})}\n"
            return
        page = _fill(rows, next_place, wide, wide.room, more=more)
        lines = [json_text(record) for record in page.entities]
        lines += [json_text({"relation": record}) for record in page.relations]
        counts["entities"] += sum(not record["continued"] for record in page.entities)
        counts["observations"] += page.observations
        counts["relations"] += len(page.relations)
        if lines:
            yield "\n".join(lines) + "\n"
        next_place = page.next_place
    yield f"{json_text({'counts': counts, 'totals': place.totals})}\n"
