"""The pool of a search: what may answer it, from Cypher, and the question that ranking asks of it (spec 03, 11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from graphsvc import limits
from graphsvc.domain.dates import mentioned_dates
from graphsvc.domain.evidence import EntityHit, ObservationHit
from graphsvc.domain.names import name_key
from graphsvc.domain.pointers import Window
from graphsvc.domain.ranking import SESSION_REACH, Candidate, Question, Ranked
from graphsvc.domain.times import iso
from graphsvc.domain.titles import without_pieces
from graphsvc.domain.words import QueryTerm, index_terms, query_terms
from graphsvc.graph import Row
from graphsvc.lucene import scope_clause, token_clause
from graphsvc.models.reads import SearchRequest
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.past import Past
from graphsvc.service.past_search import past_pool

_SCORE_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows of `search/candidates`, the terms asked for with their weights, what the query names, how full it was."""

    rows: Sequence[Row]
    terms: Sequence[QueryTerm]
    weights: Mapping[str, float]
    named: Sequence[Row]
    related: Sequence[str]
    capped: bool

    @property
    def candidates(self) -> list[Candidate]:
        """The rows as ranking takes them."""
        return [
            Candidate(
                id=row["id"],
                owner=row["owner"],
                terms=without_pieces(row["terms"]) if row["is_name"] else row["terms"] or "",
                scope=row["scope"],
                at=datetime.fromisoformat(row["at"]),
                session=None if row["session"] is None else f"{row['scope']} {row['session']}",
                position=row["position"] or 0,
                asks=row["asks"],
                is_name=row["is_name"],
            )
            for row in self.rows
        ]


async def fetch_pool(
    call: Call,
    scope: Scope,
    request: SearchRequest,
    windows: Sequence[Window],
    anchor: str | None,
    past: Past | None = None,
) -> Pool:
    """The candidates of a search, inside its scopes only."""
    terms = query_terms(request.query, limits.SEARCH_TERMS_MAX)
    empty = Pool([], terms, {}, [], [], capped=False)
    if not scope.visible or not (terms or windows):
        return empty
    # A filter is applied to the pool, so that a filtered search takes the wider one.
    sizes: tuple[int, ...] = (limits.SEARCH_POOL_MAX, limits.SEARCH_POOL_WIDER_MAX)
    sizes = sizes[1:] if request.filters else sizes
    if past is not None:
        then = await past_pool(past, terms, {window.key for window in windows}, anchor, sizes)
        passing = [hit for hit in then.hits if _passes(hit, request)]
        return Pool(passing, terms, then.weights, then.named, then.related, then.capped)
    for pool_max in sizes:
        rows = await call.graph.read(
            scope,
            "search/candidates",
            bookmarks=call.bookmarks,
            terms=[
                {"term": term.term, "clause": token_clause("terms", term.term), "prior": term.prior}
                for term in terms
            ],
            scope_clause=scope_clause(scope),
            keys=sorted({window.key for window in windows}),
            df_max=limits.SEARCH_FREQUENCY_MAX,
            pool_max=pool_max,
            named_max=limits.SEARCH_NAMED_MAX,
            related_max=limits.SEARCH_RELATED_MAX,
            session_hits_max=limits.SEARCH_SESSION_HITS_MAX,
            session_reach=SESSION_REACH,
            anchor=anchor,
        )
        row = rows[0]
        hits: list[Row] = row["hits"]
        capped = row["pool"] == pool_max
        if not capped:
            break
        # Ties at the cut are broken by the index's own order, which foreign documents can change: leave them out.
        above = [hit for hit in hits if hit["beside"] or hit["score"] > row["last_score"]]
        if above:
            hits = above
            break
    return Pool(
        [hit for hit in hits if _passes(hit, request)],
        terms,
        {weight["term"]: weight["weight"] for weight in row["weights"]},
        row["named"],
        row["related"],
        capped,
    )


def _passes(hit: Row, request: SearchRequest) -> bool:
    filters = request.filters
    if filters is None:
        return True
    if filters.kinds is not None and hit["kind_key"] not in {name_key(kind) for kind in filters.kinds}:
        return False
    if filters.since is None and filters.until is None:
        return True
    return not hit["is_name"] and (iso(filters.since) or "") <= hit["at"] < (iso(filters.until) or "~")


def question_of(query: str, pool: Pool, hint: str | None) -> Question:
    """The question as ranking takes it. Its clock is the newest candidate's time: same graph, same answer."""
    now = max((datetime.fromisoformat(row["at"]) for row in pool.rows), default=datetime.now(UTC))
    return Question(
        terms=pool.terms,
        weights=pool.weights,
        now=now,
        named=frozenset(row["id"] for row in pool.named),
        related=frozenset(pool.related),
        name_terms=frozenset(term for row in pool.named for key in row["keys"] for term in index_terms(key)),
        dates=mentioned_dates(query, datetime.now(UTC).date()),
        hinted_scope=hint,
    )


def group_by_entity(ranked: Sequence[Ranked]) -> list[EntityHit]:
    """Entities in the order of their best evidence; texts and cards are yet to be fetched."""
    hits: dict[str, EntityHit] = {}
    for one in ranked:
        hit = hits.get(one.candidate.owner)
        if hit is None:
            parts = {name: round(value, _SCORE_DIGITS) for name, value in one.parts._asdict().items()}
            hit = hits[one.candidate.owner] = EntityHit(
                {"id": one.candidate.owner}, "match", one.score, parts
            )
        if not one.candidate.is_name:
            hit.observations.append(ObservationHit({"id": one.candidate.id}, "", one.score))
    return list(hits.values())
