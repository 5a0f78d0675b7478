"""open_nodes: exactly these entities, with observations and the relations between them (spec 03)."""

from typing import Any

import orjson

from graphsvc import limits
from graphsvc.cursor import decode_cursor, encode_cursor
from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.framing import json_body, json_text
from graphsvc.models.common import ExternalIdReference, IdReference
from graphsvc.models.reads import OpenNodes
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.relations import PROPERTY_PREFIX
from graphsvc.service.writing import ReferenceValue, resolve_references


async def open_nodes(call: Call, request: OpenNodes) -> str:
    """The body of the answer: entities in the order asked for, `missing` and `ambiguous` as the caller spelt them.

    What does not fit the budget is left to `next_cursor`: whole entities, or the rest of an entity's observations.
    """
    scope = call.principal.read_scope(request.scopes).narrowed()

    async def run(query: str, **params: object) -> list[dict[str, Any]]:
        return await call.graph.read(scope, query, bookmarks=call.bookmarks, **params)

    owners = await resolve_references(run, request.names)
    missing = [spelt(name) for name, found in zip(request.names, owners, strict=True) if not found]
    ambiguous = [spelt(name) for name, found in zip(request.names, owners, strict=True) if len(found) > 1]
    ids = list(dict.fromkeys(found[0]["id"] for found in owners if len(found) == 1))
    position, after = decode_cursor(request.cursor, "open") if request.cursor else (0, "")
    entities = await _open(call, scope, request, ids, int(position), str(after))
    return _deliver(request, entities, missing, ambiguous, int(position))


def spelt(reference: ReferenceValue) -> object:
    """A reference as the caller wrote it."""
    if isinstance(reference, (IdReference, ExternalIdReference)):
        return reference.model_dump()
    return reference


async def _open(
    call: Call, scope: Scope, request: OpenNodes, ids: list[str], position: int, after: str
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
    for record in records:
        for observation in record["observations"]:
            if observation["source_ref"] is not None:
                observation["source_ref"] = orjson.loads(observation["source_ref"])
        for relation in record["relations"]:
            relation["properties"] = {
                key.removeprefix(PROPERTY_PREFIX): value
                for key, value in sorted(relation["properties"].items())
                if key.startswith(PROPERTY_PREFIX)
            }
    return records


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
        if truncated:
            accounting["status"] = "truncated"

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
