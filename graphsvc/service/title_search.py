"""find_by_title: entities, tasks and notes by a half-remembered phrase (spec 03)."""

from collections.abc import Sequence
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.budget import Limit
from graphsvc.domain.listing import deliver_list
from graphsvc.domain.names import pointer_key
from graphsvc.domain.titles import Phrase, TitleMatch, phrase_pieces
from graphsvc.graph import Row
from graphsvc.lucene import any_of, scope_clause, token_clause
from graphsvc.models.reads import FindByTitle
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.past import Past
from graphsvc.service.past_search import past_titles

_SCORE_MIN: Final = 0.2
"""Less than this is no match."""


async def find_by_title(call: Call, request: FindByTitle) -> str:
    """The titles nearest to a phrase, the best first, each with its score (0 to 1) and why it matched.

    An entity is found by its name and its aliases; `matched` is the one that was nearest. Ties go by id.
    """
    scope = call.principal.read_scope(request.scopes).narrowed()
    past = Past(call, scope, request.as_of) if request.as_of is not None else None
    rows = await _candidates(call, scope, request, past)
    phrase = Phrase(request.phrase, sorted({row["matched"] for row in rows}))
    best: dict[str, tuple[TitleMatch, Row]] = {}
    for row in rows:
        match = phrase.match(row["matched"])
        if row["id"] not in best or _rank(match, row) < _rank(*best[row["id"]]):
            best[row["id"]] = (match, row)
    ranked = sorted(best.values(), key=lambda found: _rank(*found))
    hits = [_hit(match, row) for match, row in ranked if match.score >= _SCORE_MIN]
    return deliver_list("hits", hits[: request.limit], Limit(request.budget.unit, request.budget.limit))


def _rank(match: TitleMatch, row: Row) -> tuple[float, bool, str]:
    return -match.score, pointer_key(row["matched"]) != pointer_key(row["title"]), row["id"]


def _hit(match: TitleMatch, row: Row) -> dict[str, Any]:
    hit = {"kind": row["kind"], "id": row["id"], "title": row["title"], "scope": row["scope"]}
    if row["kind"] == "entity":
        hit |= {"entity_kind": row["entity_kind"], "matched": row["matched"]}
    return {**hit, "score": match.score, "why": list(match.why)}


async def _candidates(call: Call, scope: Scope, request: FindByTitle, past: Past | None) -> Sequence[Row]:
    """Names and titles that share most pieces with the phrase, inside the visible scopes only."""
    pieces = phrase_pieces(request.phrase, limits.TITLE_PIECES_MAX)
    if not pieces or not scope.visible:
        return []
    kinds = request.kinds or ["entity", "task", "note"]
    if past is not None:
        return await past_titles(past, pieces, kinds)
    wanted = " ".join(f"{token_clause('terms', piece)}^{weight:.3f}" for piece, weight in pieces.items())
    # Names have no owner of their own, so that entities are had by leaving out tasks and notes.
    unwanted = " ".join(
        f"-{token_clause('owner_id', kind)}" for kind in ("task", "note") if kind not in kinds
    )
    gate = unwanted if "entity" in kinds else any_of("owner_id", kinds)
    clause = f"{scope_clause(scope)} +({wanted}) {gate}"
    for pool_max in (limits.SEARCH_POOL_MAX, limits.SEARCH_POOL_WIDER_MAX):
        rows = await call.graph.read(
            scope, "search/titles", bookmarks=call.bookmarks, clause=clause, pool_max=pool_max
        )
        hits: list[Row] = [hit for hit in rows[0]["hits"] if hit["kind"] in kinds]
        if rows[0]["pool"] < pool_max:
            break
        # Ties at the cut are broken by the index's own order, which foreign documents can change: leave them out.
        above = [hit for hit in hits if hit["score"] > rows[0]["last_score"]]
        if above:
            hits = above
            break
    return hits
