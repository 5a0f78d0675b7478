"""Lookup keys of the past: which names and aliases led to which entities at an instant (spec 01)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.names import name_key, pointer_key
from graphsvc.graph import Row
from graphsvc.service.past import Past, PastEntity

NOTHING_OLDER: Final = "~"
"""Behind every id: asks `past/parts` for relations only."""


@dataclass(frozen=True, slots=True)
class PastKey:
    """A lookup key and one entity that it led to. `text` is how the entity has it, `terms` its words in the index."""

    scope: str
    key: str
    terms: frozenset[str]
    all_terms: str
    at: str
    text: str
    is_name: bool
    entity: PastEntity


async def past_keys(past: Past, terms: Iterable[str], pointer_keys: Iterable[str]) -> list[PastKey]:
    """The lookup keys then with one of these words or pointer keys, by entity id."""
    rows = await past.read(
        "past/named", terms=sorted(terms), keys=sorted(pointer_keys), owners_max=limits.PAST_OWNERS_MAX
    )
    ids: list[str] = rows[0]["ids"]
    live = await past.entities(ids)
    return [
        PastKey(
            key["scope"],
            key["key"],
            frozenset((key["terms"] or "").split()),
            key["terms"] or "",
            key["at"],
            text,
            is_name,
            live[entity_id],
        )
        for entity_id, keys in zip(ids, rows[0]["keys"], strict=True)
        if entity_id in live
        for key in keys
        for text, is_name in texts_of(live[entity_id], key)
    ]


def texts_of(entity: PastEntity, key: Row) -> list[tuple[str, bool]]:
    """How an entity had a lookup key then, and whether it was its name; none: it had it not."""
    if key["scope"] == entity.scope and key["key"] == name_key(entity.name):
        return [(entity.name, True)]
    return [
        (text, False)
        for scope, alias_key, text in entity.aliases
        if (scope, alias_key) == (key["scope"], key["key"])
    ]


async def past_pointer_owners(past: Past, keys: Collection[str]) -> list[dict[str, Any]]:
    """As the rows of `pointer/resolve_pointers`; when a thing was last seen is no part of history."""
    by_key: dict[str, dict[str, list[PastKey]]] = {}
    for found in await past_keys(past, (), keys):
        by_key.setdefault(pointer_key(found.text), {}).setdefault(found.entity.id, []).append(found)
    kept = {
        key: dict(list(owners.items())[: limits.POINTER_OWNERS_MAX])
        for key, owners in by_key.items()
        if key in keys
    }
    ids = sorted({entity_id for owners in kept.values() for entity_id in owners})
    counts = await past_counts(past, ids)
    return [
        {
            "key": key,
            "id": entity_id,
            "kind": found[0].entity.kind,
            "scope": found[0].entity.scope,
            "primary": any(one.is_name for one in found),
            "texts": list(dict.fromkeys(one.text for one in found)),
            **counts[entity_id],
            "last_seen_at": None,
        }
        for key, owners in kept.items()
        for entity_id, found in owners.items()
        if any(counts[entity_id].values())
    ]


async def past_counts(past: Past, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many observations, relations and tasks these entities had."""
    rows = await past.read("past/counts", ids=list(ids))
    live = await past.entities([other for row in rows for other in row["others"]])
    return {
        row["id"]: {
            "observations": row["observations"],
            "relations": sum(other in live for other in row["others"]),
            "tasks": row["tasks"],
        }
        for row in rows
    }


async def past_relations(past: Past, ids: Sequence[str]) -> dict[str, list[tuple[Row, PastEntity]]]:
    """The relations of entities by the age of their ids, each with the entity that was live at its other end."""
    rows = await past.read("past/parts", ids=list(ids), after_observation=NOTHING_OLDER, observations_max=1)
    live: Mapping[str, PastEntity] = await past.entities(
        [relation["other"] for row in rows for relation in row["relations"]]
    )
    return {
        row["id"]: [
            (relation, live[relation["other"]]) for relation in row["relations"] if relation["other"] in live
        ]
        for row in rows
    }
