"""search_nodes, search_by_project: candidates from Cypher, ranked, expanded, packed under the budget (spec 03, 04)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphsvc import limits
from graphsvc.domain.budget import Limit
from graphsvc.domain.delivery import Found, deliver_search
from graphsvc.domain.evidence import EntityHit, ObservationHit
from graphsvc.domain.names import name_key
from graphsvc.domain.pointers import PointerBlock, Window, select_pointers, windows_of
from graphsvc.domain.times import iso
from graphsvc.domain.words import QueryTerm, analyse, query_terms
from graphsvc.errors import DeadlineExceeded, Unavailable
from graphsvc.graph import Row
from graphsvc.lucene import any_of, token_clause
from graphsvc.models.reads import SearchByProject, SearchNodes, SearchRequest
from graphsvc.scope import SHARED, Scope
from graphsvc.service.call import Call
from graphsvc.service.opening import relation_record

_DF_MAX: Final = 1_000
"""Frequencies are counted up to here; a word in more documents than that is common, whatever the number."""
_POOL_WIDER: Final = (limits.SEARCH_POOL_MAX, 4 * limits.SEARCH_POOL_MAX)


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
    windows, ignored = windows_of(request.query)
    degraded: list[str] = []
    pointers_task = (
        asyncio.create_task(_pointers(call, scope, windows, ignored, anchor)) if request.pointers else None
    )
    try:
        pool = await _candidates(call, scope, request, windows, anchor)
        hits = rank(pool, hint)
        await _expand(call, scope, hits[: limits.SEARCH_ENTITIES_MAX], anchor, degraded)
        empty = not hits and await _graph_is_empty(call, scope)
    finally:
        if pointers_task and not pointers_task.done() and asyncio.current_task().cancelling():  # type: ignore[union-attr]
            pointers_task.cancel()
    pointers: PointerBlock | None = None
    if pointers_task:
        try:
            pointers = await pointers_task
        except (DeadlineExceeded, Unavailable):
            degraded.append("pointers")
            pointers = select_pointers([], [], ignored)
    found = Found(hits, pool.candidates, pool.capped, empty, pointers, degraded)
    wanted = {term.term for term in pool.terms}

    def match_spans(text: str) -> Sequence[tuple[int, int]]:
        return [(term.start, term.end) for term in analyse(text) if term.text in wanted]

    limit = Limit(request.budget.unit, request.budget.limit)
    return deliver_search(found, limit, match_spans, as_block=request.render == "block")


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of a search: rows of `search/candidates`, the terms asked for, and how full the pool was."""

    rows: Sequence[Row]
    named: frozenset[str]
    terms: Sequence[QueryTerm]
    candidates: int
    capped: bool


def _scope_clause(scope: Scope) -> str:
    """What the full-text query demands of scopes. Nothing of those who search all there are: there may be more scopes
    than a query can have clauses, and the graph is asked again for each hit."""
    if scope.principal.sees_everything and scope.visible == scope.principal.scopes:
        return ""
    return f"{any_of('scope', scope.visible)} {any_of('owner_scope', scope.visible)}"


async def _candidates(
    call: Call, scope: Scope, request: SearchRequest, windows: Sequence[Window], anchor: str | None
) -> Pool:
    terms = query_terms(request.query, limits.SEARCH_TERMS_MAX)
    if not scope.visible or not terms:
        return Pool([], frozenset(), terms, 0, capped=False)
    scope_clause = _scope_clause(scope)
    rows: list[Row] = []
    for pool_max in _POOL_WIDER:
        rows = await call.graph.read(
            scope,
            "search/candidates",
            bookmarks=call.bookmarks,
            terms=[
                {"term": term.term, "clause": token_clause("terms", term.term), "prior": term.prior}
                for term in terms
            ],
            scope_clause=scope_clause,
            keys=sorted({window.key for window in windows}),
            df_max=_DF_MAX,
            pool_max=pool_max,
            anchor=anchor,
        )
        hits: list[Row] = rows[0]["hits"]
        capped = rows[0]["pool"] == pool_max
        if not capped:
            break
        # Ties at the cut would be broken by Lucene's own order, which foreign documents can change: leave them out.
        last = rows[0]["last_score"]
        above = [hit for hit in hits if hit["score"] > last]
        if above:
            hits = above
            break
    filters = request.filters
    if filters:
        hits = [hit for hit in hits if _passes(hit, request)]
    return Pool(hits, frozenset(rows[0]["named"]), terms, len(hits), capped)


def _passes(hit: Row, request: SearchRequest) -> bool:
    filters = request.filters
    if filters is None:
        return True
    if filters.kinds is not None and hit["entity"]["kind_key"] not in {
        name_key(kind) for kind in filters.kinds
    }:
        return False
    observation = hit["observation"]
    if filters.since is None and filters.until is None:
        return True
    if observation is None:
        return False
    at = str(observation["observed_at"] or observation["created_at"])
    return (iso(filters.since) or "") <= at < (iso(filters.until) or "~")


def rank(pool: Pool, hint: str | None) -> list[EntityHit]:
    """Entities in order of their best evidence, each with its matching observations in order. Ties break by id."""
    hits: dict[str, EntityHit] = {}
    names: dict[str, float] = {}
    for row in pool.rows:
        entity = row["entity"]
        hit = hits.setdefault(
            entity["id"],
            EntityHit(
                {key: entity[key] for key in ("id", "name", "kind", "scope")}
                | {"aliases": [], "last_seen_at": entity["last_seen_at"]},
                "match",
                0.0,
                {},
            ),
        )
        if row["observation"] is None:
            names[entity["id"]] = max(names.get(entity["id"], 0.0), row["score"])
            continue
        observation = row["observation"]
        score = round(row["score"], 4)
        record = {
            "id": observation["id"],
            "text": "",
            "scope": observation["scope"],
            "score": score,
            "window": None,
            "observed_at": observation["observed_at"],
            "last_seen_at": observation["last_seen_at"],
        }
        hit.observations.append(ObservationHit(record, observation["text"], score))
    for entity_id, hit in hits.items():
        hit.observations.sort(key=lambda observation: (-observation.score, observation.record["id"]))
        lexical = hit.observations[0].score if hit.observations else 0.0
        parts = {
            "lexical": lexical,
            "name": round(names.get(entity_id, 0.0), 4),
            "affinity": 0.3 if hint is not None and hit.entity["scope"] == hint else 0.0,
            "recency": 0.0,
            "neighbourhood": 0.0,
        }
        hit.score_parts = parts
        hit.score = round(sum(parts.values()), 4)
    return sorted(hits.values(), key=lambda hit: (-hit.score, hit.entity["id"]))


async def _expand(
    call: Call, scope: Scope, hits: Sequence[EntityHit], anchor: str | None, degraded: list[str]
) -> None:
    """Aliases and one-hop relations of these entities, capped inside Cypher."""
    if not hits:
        return
    try:
        rows = await call.graph.read(
            scope,
            "search/expand_entities",
            bookmarks=call.bookmarks,
            ids=[hit.entity["id"] for hit in hits],
            relations_max=limits.NEIGHBOURS_PER_ENTITY_MAX,
            anchor=anchor,
        )
    except (DeadlineExceeded, Unavailable):
        degraded.append("neighbours")
        return
    beside = {row["id"]: row for row in rows[0]["entities"]}
    for hit in hits:
        row = beside.get(hit.entity["id"])
        if row is not None:
            hit.entity["aliases"] = row["aliases"]
            hit.relations = [relation_record(relation) for relation in row["relations"]]


async def _pointers(
    call: Call, scope: Scope, windows: Sequence[Window], ignored: int, anchor: str | None
) -> PointerBlock:
    if anchor is not None:
        scope = call.principal.read_scope([anchor]).narrowed()
    rows = await call.graph.read(
        scope,
        "pointer/resolve_pointers",
        bookmarks=call.bookmarks,
        keys=sorted({window.key for window in windows}),
        owners_max=limits.POINTER_OWNERS_MAX,
    )
    return select_pointers(windows, rows[0]["owners"], ignored)


async def _graph_is_empty(call: Call, scope: Scope) -> bool:
    rows = await call.graph.read(scope, "search/graph_is_empty", bookmarks=call.bookmarks)
    return bool(rows[0]["empty"])
