"""Searches of the past: the pool as it would have been at an instant, with the statistics of then (spec 01, 03, 11).

The full-text index knows only the present, so that what was there is looked through word by word and weighed by the
same rules: slower than searching the present, and bounded by `PAST_MATCHES_MAX`, the newest first, and by the deadline.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.names import name_key, pointer_key
from graphsvc.domain.ranking import SESSION_REACH
from graphsvc.domain.words import QueryTerm
from graphsvc.graph import Row
from graphsvc.service.past import Past, PastEntity
from graphsvc.service.past_names import PastKey, past_keys, past_relations
from graphsvc.service.tasks import work_item_terms

_OWNER_SHARE: Final = 0.1
_LEAST_WEIGHT: Final = 0.002


@dataclass(slots=True)
class _Document:
    """What the full-text index would have held; `row` is None for what answers no search: a task, a note, a fact that
    was not in force or about what was retired."""

    terms: frozenset[str]
    row: Row | None
    place: tuple[str, str, int | None] | None
    id: str
    score: float = 0.0

    def weigh(self, weights: Mapping[str, float], named: Mapping[str, float]) -> None:
        owner = self.row["owner"] if self.row and not self.row["is_name"] else ""
        self.score = sum(weights[term] for term in self.terms if term in weights) + named.get(owner, 0.0)


@dataclass(frozen=True, slots=True)
class PastPool:
    """As a row of `search/candidates`, and whether the pool was full."""

    hits: Sequence[Row]
    named: Sequence[Row]
    related: Sequence[str]
    weights: Mapping[str, float]
    capped: bool


async def past_pool(
    past: Past, terms: Sequence[QueryTerm], keys: Iterable[str], anchor: str | None, sizes: Sequence[int]
) -> PastPool:
    """What may have answered a search then."""
    pointer_keys = set(keys)
    words = [term.term for term in terms]
    found_keys = await past_keys(past, words, pointer_keys)
    named = _named(found_keys, pointer_keys)
    related = [
        other.id
        for relations in (await past_relations(past, [row["id"] for row in named])).values()
        for _, other in relations[: limits.SEARCH_RELATED_MAX]
    ]
    names = [row["id"] for row in named]
    answered = await past.read(
        "past/observations", terms=words, named=names, matches_max=limits.PAST_MATCHES_MAX + 1
    )
    matches: list[Row] = answered[0]["matches"]
    is_full = len(matches) > limits.PAST_MATCHES_MAX
    answered = await past.read(
        "past/facts", terms=words, named=names, matches_max=limits.PAST_MATCHES_MAX + 1
    )
    facts: list[Row] = answered[0]["matches"]
    is_full = is_full or len(facts) > limits.PAST_MATCHES_MAX
    ends = [fact[end] for fact in facts for end in ("owner", "object") if fact[end] is not None]
    owners = await past.entities([*(match["owner"] for match in matches), *ends])
    items = await past.work_items()
    documents = [
        *(_observation(match, owners[match["owner"]]) for match in matches if match["owner"] in owners),
        *(_fact(fact, owners) for fact in facts),
        *(_name(found) for found in found_keys),
        *(_work_item(item) for item in items),
    ]
    weights = _weights(terms, documents, await _size(past, len(items)))
    owner_weight = _rounded(_OWNER_SHARE * max([_LEAST_WEIGHT, *weights.values()]))
    for document in documents:
        document.weigh(weights, dict.fromkeys(names, owner_weight))
    documents = sorted((one for one in documents if one.score > 0), key=lambda one: (-one.score, one.id))
    hits, capped = await _hits(past, documents, sizes)
    if anchor is not None:
        inside = await past_anchored(past, {hit["owner"] for hit in hits}, owners, anchor)
        hits = [hit for hit in hits if hit["owner"] in inside or hit["owner_scope"] == anchor]
    return PastPool(hits, named, list(dict.fromkeys(related)), weights, capped or is_full)


async def past_anchored(
    past: Past, ids: Iterable[str], known: Mapping[str, PastEntity], anchor: str
) -> set[str]:
    """Those of these entities that were in a project, or that it had a note on."""
    rows = await past.read("past/anchored", ids=sorted(ids), anchor=anchor)
    own = {entity.id for entity in known.values() if entity.scope == anchor}
    return own | {row["id"] for row in rows}


def _named(found_keys: Sequence[PastKey], keys: set[str]) -> list[Row]:
    """The entities that the query named, with the keys it named them by."""
    named: dict[str, list[str]] = {}
    for found in found_keys:
        key = pointer_key(found.text)
        if key in keys:
            named.setdefault(found.entity.id, []).append(key)
    first = sorted(named)[: limits.SEARCH_NAMED_MAX]
    return [{"id": entity_id, "keys": list(dict.fromkeys(named[entity_id]))} for entity_id in first]


def _observation(match: Row, owner: PastEntity) -> _Document:
    place = (match["scope"], match["session"], match["position"]) if match["session"] is not None else None
    return _Document(
        frozenset((match["terms"] or "").split()), _hit(match, owner, is_name=False), place, match["id"]
    )


def _fact(fact: Row, live: Mapping[str, PastEntity]) -> _Document:
    is_shown = (
        fact["in_force"] and fact["owner"] in live and (fact["object"] is None or fact["object"] in live)
    )
    row = {name: value for name, value in fact.items() if name not in {"in_force", "object"}}
    return _Document(
        frozenset((fact["terms"] or "").split()),
        _hit(row, live[fact["owner"]], is_name=False) if is_shown else None,
        None,
        fact["id"],
    )


def _name(found: PastKey) -> _Document:
    row: Row = {"id": found.key, "terms": found.all_terms, "scope": found.scope, "at": found.at}
    row |= {"session": None, "position": None, "asks": False}
    return _Document(found.terms, _hit(row, found.entity, is_name=True), None, f"{found.scope} {found.key}")


def _work_item(item: Mapping[str, Any]) -> _Document:
    words = frozenset(work_item_terms(item["title"], item.get("body")).split())
    place = (item["scope"], item["session"], None) if item["session"] is not None else None
    return _Document(words, None, place, item["id"])


def _hit(row: Row, owner: PastEntity, *, is_name: bool) -> Row:
    return {
        **row,
        "owner": owner.id,
        "owner_scope": owner.scope,
        "kind_key": name_key(owner.kind) if owner.kind else None,
        "is_name": is_name,
        "score": 0.0,
        "beside": False,
    }


async def _size(past: Past, items: int) -> int:
    """How many documents there were, as far as they are counted."""
    rows = await past.read("past/size", count_max=limits.SEARCH_FREQUENCY_MAX)
    counted = rows[0]["observations"] + rows[0]["facts"] + items
    if counted < limits.SEARCH_FREQUENCY_MAX:
        live = await past.entities(rows[0]["entities"])
        keys = {(entity.scope, name_key(entity.name)) for entity in live.values()}
        keys |= {(scope, key) for entity in live.values() for scope, key, _ in entity.aliases}
        counted += len(keys)
    return int(min(counted, limits.SEARCH_FREQUENCY_MAX))


def _weights(terms: Sequence[QueryTerm], documents: Sequence[_Document], size: int) -> dict[str, float]:
    """As `search/candidates` weighs words: by how rare each was in what the caller sees."""
    weights: dict[str, float] = {}
    for term in terms:
        holders = {document.id for document in documents if term.term in document.terms}
        frequency = min(len(holders), limits.SEARCH_FREQUENCY_MAX)
        if frequency:
            weights[term.term] = _rounded(term.prior * log(1 + size / frequency)) + 0.001
    return weights


def _rounded(value: float) -> float:
    return floor(value * 1000 + 0.5) / 1000


async def _hits(past: Past, documents: Sequence[_Document], sizes: Sequence[int]) -> tuple[list[Row], bool]:
    """The best of the pool with what was recorded around them, and whether the pool was full."""
    hits: list[Row] = []
    capped = False
    for pool_max in sizes:
        pool = documents[:pool_max]
        capped = len({one.id for one in pool}) >= pool_max
        last = pool[-1].score if pool else 0.0
        found = {(one.id, one.row["owner"]): one.row | {"score": one.score} for one in pool if one.row}
        for beside in await _beside(past, [one for one in pool if not capped or one.score > last]):
            place = (beside["id"], beside["owner"])
            found[place] = found.get(place, beside) | {"beside": True}
        hits = list(found.values())
        if not capped:
            break
        above = [hit for hit in hits if hit["beside"] or hit["score"] > last]
        if above:
            hits = above
            break
    return hits, capped


async def _beside(past: Past, pool: Sequence[_Document]) -> list[Row]:
    first = [one.place for one in pool if one.place is not None][: limits.SEARCH_SESSION_HITS_MAX]
    places = [
        {"scope": place[0], "session": place[1], "position": place[2]}
        for place in first
        if place[2] is not None
    ]
    if not places:
        return []
    rows: list[Row] = (await past.read("past/beside", places=places, reach=SESSION_REACH))[0]["matches"]
    owners = await past.entities([row["owner"] for row in rows])
    return [_hit(row, owners[row["owner"]], is_name=False) for row in rows if row["owner"] in owners]


async def past_cards(past: Past, rows: Sequence[Row], anchor: str | None) -> list[Row]:
    """As the rows of `search/expand_entities`, for the same parameters."""
    ids = [row["id"] for row in rows]
    live = await past.entities(ids)
    relations = await past_relations(past, ids)
    if anchor is not None:
        others = {other.id: other for found in relations.values() for _, other in found}
        inside = await past_anchored(past, others, others, anchor)
        relations = {i: [one for one in found if one[1].id in inside] for i, found in relations.items()}
    wanted = {name: [one for row in rows for one in row[name]] for name in ("observations", "facts")}
    found = (await past.read("past/texts", ids=wanted["observations"], facts=wanted["facts"]))[0]
    texts = {row["id"]: row for row in [*found["observations"], *found["facts"]]}
    return [
        {
            "entity": {
                **{name: getattr(live[row["id"]], name) for name in ("id", "name", "kind", "scope")},
                "last_seen_at": None,
            },
            "aliases": live[row["id"]].alias_texts,
            "observations": [texts[i] for i in [*row["observations"], *row["facts"]] if i in texts],
            "relations": [
                {
                    **{name: relation[name] for name in ("id", "type", "direction")},
                    "entity": {"id": other.id, "name": other.name, "kind": other.kind},
                }
                for relation, other in relations[row["id"]][: limits.NEIGHBOURS_PER_ENTITY_MAX]
            ],
        }
        for row in rows
        if row["id"] in live
    ]


async def past_titles(past: Past, pieces: Mapping[str, float], kinds: Sequence[str]) -> list[Row]:
    """As the hits of `search/titles`: names, aliases and titles that shared pieces of words with a phrase then."""
    rows: list[tuple[float, str, Row]] = []
    weights = {piece: round(weight, 3) for piece, weight in pieces.items()}

    def take(words: Iterable[str], order: str, **row: str | None) -> None:
        score = sum(weights.get(word, 0.0) for word in words)
        if score > 0 and row["kind"] in kinds:
            rows.append((score, order, row))

    for found in await past_keys(past, pieces, ()) if "entity" in kinds else []:
        entity = found.entity
        names = {"title": entity.name, "matched": found.text, "entity_kind": entity.kind}
        take(found.terms, found.key, id=entity.id, kind="entity", scope=entity.scope, **names)
    for item in await past.work_items() if {"task", "note"} & set(kinds) else []:
        title = item["title"]
        words = set(work_item_terms(title, item.get("body")).split())
        names = {"title": title, "matched": title, "entity_kind": None}
        take(words, item["id"], id=item["id"], kind=item["kind"], scope=item["scope"], **names)
    rows.sort(key=lambda one: (-one[0], one[1], one[2]["id"]))
    return [row for _, _, row in rows[: limits.SEARCH_POOL_WIDER_MAX]]
