"""create_relations, delete_relations (spec 01, 02)."""

from typing import Any

import orjson

from graphsvc.domain.names import relation_type_key
from graphsvc.domain.safety import secret_warning
from graphsvc.domain.words import index_terms
from graphsvc.models.common import InvalidItem
from graphsvc.models.writes import CreateRelations, DeleteRelations, RelationInput
from graphsvc.service.call import Call
from graphsvc.service.retiring import run_retire
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, run_write

PROPERTY_PREFIX = "property_"
"""Callers' properties stand beside our own on the relationship, told apart by this prefix."""


async def create_relations(call: Call, request: CreateRelations) -> dict[str, Any]:
    """Relate entities. Outcomes: created, revived, existing, skipped (an end is not there, not live), invalid."""
    return await run_write(
        call, "create_relations", request, "relations", lambda batch: _create(batch, request)
    )


async def _create(batch: WriteBatch, request: CreateRelations) -> Results:
    results: dict[int, dict[str, Any]] = {}
    valid = [(i, item) for i, item in enumerate(request.relations) if isinstance(item, RelationInput)]
    ends = [end for _, item in valid for end in (item.from_, item.to)]
    owners = await batch.resolve(ends)
    lead: dict[tuple[str, str, str], int] = {}
    rows: list[dict[str, Any]] = []
    row_of: dict[int, tuple[int, bool]] = {}
    for place, (i, item) in enumerate(valid):
        from_, to = owners[2 * place], owners[2 * place + 1]
        if len(from_) != 1 or len(to) != 1:
            results[i] = {"index": i, "outcome": "skipped"}
            continue
        key = (from_[0]["id"], relation_type_key(item.type), to[0]["id"])
        if key[0] == key[2] and not request.allow_self:
            results[i] = {
                "index": i,
                "outcome": "invalid",
                "errors": [
                    {"path": "$.to", "reason": "a relation of a thing to itself needs allow_self: true"}
                ],
            }
            continue
        is_lead = key not in lead
        if is_lead:
            lead[key] = len(rows)
            rows.append(
                {
                    "index": len(rows),
                    "id": batch.ids.get("rel", i),
                    "transition_id": batch.ids.get("trn", "relation", i),
                    "from_id": key[0],
                    "to_id": key[2],
                    "type": item.type,
                    "type_key": key[1],
                    "terms": " ".join(index_terms(item.type.replace("_", " "))),
                    "properties": {PROPERTY_PREFIX + name: value for name, value in item.properties.items()},
                    "properties_json": orjson.dumps(item.properties, option=orjson.OPT_SORT_KEYS).decode()
                    if item.properties
                    else None,
                }
            )
        row_of[i] = (lead[key], is_lead)
    answered = await batch.run(
        "relation/create_relations", sorted(rows, key=lambda row: sorted((row["from_id"], row["to_id"])))
    )
    properties_of = {i: item.properties for i, item in valid}
    for i, (index, is_lead) in row_of.items():
        row = answered[index]
        changed = row["changed"] if is_lead else None
        written = "\n".join(f"{name}: {value}" for name, value in properties_of[i].items())
        results[i] = {
            "index": i,
            "outcome": changed or "existing",
            "id": row["id"],
            **secret_warning(properties=written),
        }
    for i, parsed in enumerate(request.relations):
        if isinstance(parsed, InvalidItem):
            results[i] = invalid_outcome(i, parsed)
    return [results[i] for i in sorted(results)]


async def delete_relations(call: Call, request: DeleteRelations) -> dict[str, Any]:
    """Retire relations by their triple; what is not there, not live or not writable contributes zero."""

    async def work(batch: WriteBatch) -> Results:
        items = [item for item in request.relations if not isinstance(item, InvalidItem)]
        owners = await batch.resolve([end for item in items for end in (item.from_, item.to)])
        triples = sorted(
            {
                (owners[2 * i][0]["id"], relation_type_key(item.type), owners[2 * i + 1][0]["id"])
                for i, item in enumerate(items)
                if len(owners[2 * i]) == 1 and len(owners[2 * i + 1]) == 1
            }
        )
        rows = [
            {
                "index": i,
                "from_id": from_id,
                "type_key": key,
                "to_id": to_id,
                "transition_id": batch.ids.get("trn", "unrelate", from_id, key, to_id),
            }
            for i, (from_id, key, to_id) in enumerate(triples)
        ]
        retired = await batch.run_rows("relation/retire_relations", rows)
        return [{"index": i, "outcome": "retired", "id": row["id"]} for i, row in enumerate(retired)]

    return await run_retire(call, "delete_relations", request, "relations", request.relations, work)
