"""open_nodes: exactly these entities, with observations and the relations between them (spec 03)."""

from collections.abc import Sequence
from typing import Any

import orjson

from graphsvc import limits
from graphsvc.cursor import decode_cursor, encode_cursor, invalid_cursor
from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.framing import json_body, json_text
from graphsvc.graph import Row
from graphsvc.models.common import ExternalIdReference, IdReference
from graphsvc.models.reads import OpenNodes
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.past import Past
from graphsvc.service.relations import PROPERTY_PREFIX
from graphsvc.service.writing import ReferenceValue, resolve_references


async def open_nodes(call: Call, request: OpenNodes) -> str:
    """The body of the answer: entities in the order asked for, `missing` and `ambiguous` as the caller spelt them.

    What does not fit the budget is left to `next_cursor`: whole entities, or the rest of an entity's observations.
    """
    scope = call.principal.read_scope(request.scopes).narrowed()

    async def run(query: str, **params: object) -> list[dict[str, Any]]:
        return await call.graph.read(scope, query, bookmarks=call.bookmarks, **params)

    past = Past(call, scope, request.as_of) if request.as_of is not None else None
    if past is not None:
        owners: list[Sequence[Row]] = [[{"id": i} for i in ids] for ids in await past.resolve(request.names)]
    else:
        owners = await resolve_references(run, request.names)
    missing = [spelt(name) for name, found in zip(request.names, owners, strict=True) if not found]
    ambiguous = [spelt(name) for name, found in zip(request.names, owners, strict=True) if len(found) > 1]
    ids = list(dict.fromkeys(found[0]["id"] for found in owners if len(found) == 1))
    position, after = open_place(request.cursor)
    entities = await _open(call, scope, request, past, ids, position, after)
    return _deliver(request, entities, missing, ambiguous, position)


def open_place(cursor: str | None) -> tuple[int, str]:
    """Where a cursor goes on: at which entity, after which of its observations."""
    if cursor is None:
        return 0, ""
    match decode_cursor(cursor, "open"):
        case [int(position), str(after)] if position >= 0:
            return position, after
        case _:
            raise invalid_cursor()


def spelt(reference: ReferenceValue) -> object:
    """A reference as the caller wrote it."""
    if isinstance(reference, (IdReference, ExternalIdReference)):
        return reference.model_dump()
    return reference


async def _open(
    call: Call,
    scope: Scope,
    request: OpenNodes,
    past: Past | None,
    ids: list[str],
    position: int,
    after: str,
) -> list[dict[str, Any]]:
    """Records from this position on; the first continues after that observation."""
    records: list[dict[str, Any]] = []
    for part, after_observation in (
        ((ids[position : position + 1], after), (ids[position + 1 :], ""))
        if after
        else ((ids[position:], ""),)
    ):
        if not part:
            continue
        if past is not None:
            records += await past.open(part, ids, after_observation, neighbours=request.neighbours)
            continue
        rows = await call.graph.read(
            scope,
            "read/open_entities",
            bookmarks=call.bookmarks,
            ids=part,
            among=ids,
            neighbours=request.neighbours,
            after_observation=after_observation,
            observations_max=limits.OPEN_OBSERVATIONS_PER_ENTITY_MAX,
            relations_max=limits.OPEN_RELATIONS_MAX,
        )
        records += rows[0]["entities"]
    return [_record(record) for record in records]


def entity_record(entity: dict[str, Any]) -> dict[str, Any]:
    """An entity as it is shown: fields in one order, whatever the database's."""
    return {key: entity[key] for key in ("id", "name", "kind", "scope", "aliases", "last_seen_at")}


def observation_record(row: dict[str, Any]) -> dict[str, Any]:
    """An observation as it is shown, or a fact, which is marked."""
    return {
        **{key: row[key] for key in ("id", "text", "scope", "observed_at", "last_seen_at")},
        "source_ref": orjson.loads(row["source_ref"]) if row["source_ref"] else None,
        **fact_mark(row),
    }


def fact_mark(row: dict[str, Any]) -> dict[str, Any]:
    """What marks a fact among observations: its validity, whether another fact contradicts it, and where it comes from
    (spec 08). Nothing for an observation."""
    if row.get("claim_id") is None:
        return {}
    names = ("status", "valid_from", "valid_to", "mode", "confidence", "claim_id", "decision_id")
    return {"fact": {**{name: row[name] for name in names}, "contradicted": bool(row["contradicted"])}}


def relation_properties(stored: list[list[Any]]) -> dict[str, Any]:
    """The properties that the caller gave a relation, of pairs of stored name and value."""
    return {
        name.removeprefix(PROPERTY_PREFIX): value
        for name, value in sorted(stored, key=lambda pair: str(pair[0]))
    }


def _record(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is shown."""
    return {
        "entity": entity_record(row["entity"]),
        "observations": [observation_record(observation) for observation in row["observations"]],
        "relations": [
            {
                **relation_record(relation),
                "scope": relation["scope"],
                "properties": relation_properties(relation["properties"]),
            }
            for relation in row["relations"]
        ],
        "relations_elsewhere": row["relations_elsewhere"],
    }


def relation_record(row: dict[str, Any]) -> dict[str, Any]:
    """A relation as it is shown: id, type, direction, and the entity at the other end."""
    other = row["entity"]
    return {
        "id": row["id"],
        "type": row["type"],
        "direction": row["direction"],
        "entity": {"id": other["id"], "name": other["name"], "kind": other["kind"]},
    }


def _deliver(
    request: OpenNodes,
    records: list[dict[str, Any]],
    missing: list[object],
    ambiguous: list[object],
    position: int,
) -> str:
    limit = Limit(request.budget.unit, request.budget.limit)
    shown: list[dict[str, Any]] = []
    answer: dict[str, Any] = {
        "entities": shown,
        "missing": missing,
        "ambiguous": ambiguous,
        "next_cursor": None,
    }
    accounting = answer["accounting"] = {
        "budget": {"unit": limit.unit, "limit": limit.limit, "used": limit.limit},
        "entities": {"considered": len(records), "returned": 0},
        "observations": {"considered": sum(len(record["observations"]) for record in records), "returned": 0},
        "relations": {"considered": sum(len(record["relations"]) for record in records), "returned": 0},
        "truncated": False,
        "status": "ok" if records else "no_match",
    }

    def fill(next_cursor: str | None, *, truncated: bool) -> None:
        answer["next_cursor"] = next_cursor
        accounting["entities"]["returned"] = len(shown)
        for part in ("observations", "relations"):
            accounting[part]["returned"] = sum(len(record[part]) for record in shown)
        accounting["truncated"] = truncated
        accounting["status"] = "truncated" if truncated else "ok" if records else "no_match"

    # All counters at their longest, and the longest cursor there can be, so that what is packed stays in.
    fill(encode_cursor("open", [position + len(records), "obs_" + "f" * 32]), truncated=True)
    for part in ("entities", "observations", "relations"):
        accounting[part]["returned"] = accounting[part]["considered"]
    left = limit.room - limit.size(json_body(answer))
    next_cursor: str | None = None
    for offset, record in enumerate(records):
        fitted = _fit(record, limit, left)
        if fitted is None:
            next_cursor = encode_cursor("open", [position + offset, ""])
            break
        shown.append(fitted)
        left -= limit.size(json_text(fitted)) + 1
        last = fitted["observations"][-1]["id"] if fitted["observations"] else ""
        cut = len(fitted["observations"]) < len(record["observations"])
        if cut or len(record["observations"]) == limits.OPEN_OBSERVATIONS_PER_ENTITY_MAX:
            next_cursor = encode_cursor("open", [position + offset, last])
            if cut:
                break
    fill(
        next_cursor,
        truncated=next_cursor is not None
        or any(len(a["relations"]) < len(b["relations"]) for a, b in zip(shown, records, strict=False)),
    )
    body = settle(limit, accounting, lambda: json_body(answer))
    if limit.used(body) > limit.limit:
        raise too_small(limit, limit.used(body))
    return body


def _fit(record: dict[str, Any], limit: Limit, left: int) -> dict[str, Any] | None:
    """The record with as many of its observations, then relations, as fit; None when its head does not."""
    fitted = {**record, "observations": [], "relations": []}
    left -= limit.size(json_text(fitted)) + 1
    if left < 0:
        return None
    for part in ("observations", "relations"):
        for item in record[part]:
            cost = limit.size(json_text(item)) + 1
            if cost > left:
                break
            fitted[part].append(item)
            left -= cost
    if record["observations"] and not fitted["observations"]:
        return None
    return fitted
