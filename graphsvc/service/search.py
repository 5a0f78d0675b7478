"""search_nodes, search_by_project: candidates from Cypher, ranked, expanded, packed under the budget (spec 03, 04)."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.budget import Limit
from graphsvc.domain.delivery import Found, deliver_search
from graphsvc.domain.evidence import EntityHit, ObservationHit
from graphsvc.domain.pointers import PointerBlock, Window, select_pointers, windows_of
from graphsvc.domain.ranking import rank
from graphsvc.domain.source_ref import SourceRef
from graphsvc.domain.words import analyse
from graphsvc.errors import DeadlineExceeded, Unavailable
from graphsvc.graph import Row
from graphsvc.models.reads import SearchByProject, SearchNodes, SearchRequest
from graphsvc.scope import SHARED, Scope
from graphsvc.service.call import Call
from graphsvc.service.opening import fact_mark, relation_record
from graphsvc.service.past import Past
from graphsvc.service.past_names import past_pointer_owners
from graphsvc.service.past_search import past_cards
from graphsvc.service.pool import Pool, fetch_pool, group_by_entity, question_of

_RECORD_CHARS_MIN: Final = 200
"""What an observation takes in an answer at the least, its id, scope and times included."""
_FACT_PREFIX: Final = "fact_"


async def search_nodes(call: Call, request: SearchNodes) -> str:
    """Free-text search over the visible scopes; the body of the answer, at most as large as its budget."""
    narrow = request.scopes
    if request.filters and request.filters.scopes is not None:
        narrow = [scope for scope in request.filters.scopes if narrow is None or scope in narrow]
    scope = call.principal.read_scope(narrow).narrowed()
    hint = _project_scope(request.project_hint) if request.project_hint else None
    return await _search(call, scope, request, hint=hint, anchor=None)


async def search_by_project(call: Call, request: SearchByProject) -> str:
    """The same strictly inside one project; a project that is not visible answers as an empty one."""
    project = _project_scope(request.project)
    wanted = [project, SHARED] if request.include_shared else [project]
    narrow = [scope for scope in wanted if request.scopes is None or scope in request.scopes]
    if request.filters and request.filters.scopes is not None:
        narrow = [scope for scope in narrow if scope in request.filters.scopes]
    scope = call.principal.read_scope(narrow).narrowed()
    if project not in scope.visible:
        scope = call.principal.read_scope([]).narrowed()
    return await _search(call, scope, request, hint=None, anchor=project if request.include_shared else None)


def _project_scope(name: str) -> str:
    return name if name.startswith("project:") else f"project:{name}"


async def _search(
    call: Call, scope: Scope, request: SearchRequest, *, hint: str | None, anchor: str | None
) -> str:
    past = Past(call, scope, request.as_of) if request.as_of is not None else None
    windows, ignored = windows_of(request.query)
    degraded: list[str] = []
    pointers_task = (
        asyncio.create_task(_pointers(call, scope, request, windows, ignored, anchor))
        if request.pointers
        else None
    )
    try:
        pool = await fetch_pool(call, scope, request, windows, anchor, past)
        hits = await _evidence(call, scope, request, pool, hint, anchor, past)
        empty = not hits and await _graph_is_empty(call, scope, past)
    except BaseException:
        if pointers_task:
            pointers_task.cancel()
        raise
    pointers: PointerBlock | None = None
    if pointers_task:
        try:
            pointers = await pointers_task
        except (DeadlineExceeded, Unavailable):
            degraded.append("pointers")
            pointers = select_pointers([], [], ignored)
    found = Found(hits, len(pool.rows), pool.capped, empty, pointers, degraded)
    wanted = set(pool.weights)

    def match_spans(text: str) -> Sequence[tuple[int, int]]:
        return [(term.start, term.end) for term in analyse(text) if term.text in wanted]

    limit = Limit(request.budget.unit, request.budget.limit)
    return deliver_search(found, limit, match_spans, as_block=request.render == "block")


async def _evidence(
    call: Call,
    scope: Scope,
    request: SearchRequest,
    pool: Pool,
    hint: str | None,
    anchor: str | None,
    past: Past | None,
) -> list[EntityHit]:
    """The ranked pool as entities with their evidence; texts and neighbours of those that can matter are fetched."""
    ranked = rank(question_of(request.query, pool, hint), pool.candidates)
    hits = group_by_entity(ranked)
    # A record takes this much at the least: more than fit need not be fetched, and are counted as dropped.
    most = Limit(request.budget.unit, request.budget.limit).room // _RECORD_CHARS_MIN + 1
    shown = {one.candidate.id for one in ranked[:most] if not one.candidate.is_name}
    top = hits[: limits.SEARCH_ENTITIES_MAX]
    if not top:
        return []
    wanted = [
        {
            "id": hit.entity["id"],
            "observations": [i for i in _chosen(hit, shown) if not i.startswith(_FACT_PREFIX)],
            "facts": [i for i in _chosen(hit, shown) if i.startswith(_FACT_PREFIX)],
        }
        for hit in top
    ]
    if past is not None:
        entities = await past_cards(past, wanted, anchor)
    else:
        rows = await call.graph.read(
            scope,
            "search/expand_entities",
            bookmarks=call.bookmarks,
            rows=wanted,
            relations_max=limits.NEIGHBOURS_PER_ENTITY_MAX,
            anchor=anchor,
        )
        entities = rows[0]["entities"]
    cards = {row["entity"]["id"]: row for row in entities}
    shown_hits = [_filled(hit, cards[hit.entity["id"]]) for hit in top if hit.entity["id"] in cards]
    return shown_hits + [_unfetched(hit) for hit in hits[len(top) :]]


def _chosen(hit: EntityHit, shown: Collection[str]) -> list[str]:
    """Ids of the observations and facts of a hit that may be shown."""
    return [o.record["id"] for o in hit.observations if o.record["id"] in shown]


def _filled(hit: EntityHit, row: Row) -> EntityHit:
    """The hit with its card, relations, and the texts that were fetched."""
    entity = row["entity"]
    hit.entity = {
        **{key: entity[key] for key in ("id", "name", "kind", "scope")},
        "aliases": row["aliases"],
        "last_seen_at": entity["last_seen_at"],
    }
    hit.relations = [relation_record(relation) for relation in row["relations"]]
    texts = {observation["id"]: observation for observation in row["observations"]}
    fetched = [
        ObservationHit(
            _observation_record(texts[o.record["id"]], o.score), texts[o.record["id"]]["text"], o.score
        )
        for o in hit.observations
        if o.record["id"] in texts
    ]
    hit.unfetched = len(hit.observations) - len(fetched)
    hit.observations = fetched
    return hit


def _observation_record(row: Row, score: float) -> dict[str, Any]:
    record = {
        "id": row["id"],
        "text": "",
        "scope": row["scope"],
        "score": score,
        "window": None,
        "observed_at": row.get("observed_at"),
        "last_seen_at": row["last_seen_at"],
        **fact_mark(row),
    }
    if row.get("source_ref") is not None:
        record["source_ref"] = SourceRef(row["source_ref"]).value
    return record


def _unfetched(hit: EntityHit) -> EntityHit:
    hit.unfetched, hit.observations, hit.fetched = len(hit.observations), [], False
    return hit


async def _pointers(
    call: Call,
    scope: Scope,
    request: SearchRequest,
    windows: Sequence[Window],
    ignored: int,
    anchor: str | None,
) -> PointerBlock:
    if anchor is not None:
        scope = call.principal.read_scope([anchor]).narrowed()
    if request.as_of is not None:
        keys = {window.key for window in windows}
        owners = await past_pointer_owners(Past(call, scope, request.as_of), keys)
        return select_pointers(windows, owners, ignored)
    rows = await call.graph.read(
        scope,
        "pointer/resolve_pointers",
        bookmarks=call.bookmarks,
        keys=sorted({window.key for window in windows}),
        owners_max=limits.POINTER_OWNERS_MAX,
    )
    return select_pointers(windows, rows[0]["owners"], ignored)


async def _graph_is_empty(call: Call, scope: Scope, past: Past | None) -> bool:
    if past is not None:
        return (await past.read("past/graph_end"))[0]["last"] is None
    rows = await call.graph.read(scope, "search/graph_is_empty", bookmarks=call.bookmarks)
    return bool(rows[0]["empty"])
