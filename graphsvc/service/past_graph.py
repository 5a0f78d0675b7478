"""Pages of the graph as it stood at an instant, for read_graph (spec 01, 03)."""

from typing import Any

from graphsvc.graph import Row
from graphsvc.service.past import Past, PastEntity, relation_then


async def past_page(
    past: Past, start: str, after_item: str, last: str, page: int, items_max: int
) -> list[Row]:
    """As the rows of `read/graph_page`, for the same parameters."""
    found = await past.read("past/graph_page", **{"from": start}, last=last, page=page)
    ids: list[str] = found[0]["ids"]
    parts: dict[str, Row] = {}
    # An entity that is continued goes on after an item; the others begin.
    for some, after in (([i for i in ids if i == start], after_item), ([i for i in ids if i != start], "")):
        rows = (
            await past.read(
                "past/parts",
                ids=some,
                # Ids of relations sort after those of observations: after one of them none of these are left.
                after_observation=after,
                observations_max=items_max,
            )
            if some
            else []
        )
        parts |= {row["id"]: {**row, "after": after} for row in rows}
    others = [relation["other"] for row in parts.values() for relation in row["relations"]]
    live = await past.entities([*ids, *others])
    return [_page_row(live[i], parts[i], live, items_max) for i in ids if i in live]


def _page_row(entity: PastEntity, part: Row, live: dict[str, PastEntity], items_max: int) -> Row:
    relations: list[dict[str, Any]] = []
    for relation in part["relations"]:
        other = live.get(relation["other"])
        if other is None or other.id > entity.id or relation["id"] <= part["after"]:
            continue
        source, target = (entity, other) if relation["direction"] == "out" else (other, entity)
        shown = relation_then(relation, other)
        relations.append({**shown, "from": _end(source), "to": _end(target)})
    return {
        "entity": {
            **{name: getattr(entity, name) for name in ("id", "name", "kind", "scope")},
            "aliases": entity.alias_texts,
            "last_seen_at": None,
        },
        "observations": part["observations"],
        "relations": relations[:items_max],
    }


def _end(entity: PastEntity) -> dict[str, Any]:
    return {"id": entity.id, "name": entity.name, "kind": entity.kind}
