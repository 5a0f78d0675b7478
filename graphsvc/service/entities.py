"""create_entities, update_entities, delete_entities (spec 01, 02)."""

from typing import Any

from graphsvc.domain.names import name_key
from graphsvc.models.common import InvalidItem
from graphsvc.models.writes import CreateEntities, DeleteEntities, EntityInput, UpdateEntities
from graphsvc.service.aliases import AliasRow, add_alias_rows, index_lookup_keys
from graphsvc.service.call import Call
from graphsvc.service.observations import ContentRow, add_observation_rows
from graphsvc.service.retiring import run_retire
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, run_write


async def create_entities(call: Call, request: CreateEntities) -> dict[str, Any]:
    """Create entities in the write scope, or find and revive them; one outcome an item, in order.

    Outcomes: created, revived, existing (here or in another visible scope), ambiguous, invalid.
    """
    return await run_write(
        call, "create_entities", request, "entities", lambda batch: _create(batch, request)
    )


async def _create(batch: WriteBatch, request: CreateEntities) -> Results:
    write = batch.scope.write
    items = {i: item for i, item in enumerate(request.entities) if isinstance(item, EntityInput)}
    # Items of one batch with the same name are one entity: the first is carried out, the others find it.
    first: dict[str, int] = {}
    for i, item in items.items():
        first.setdefault(name_key(item.name), i)
    names = [
        {"index": i, "name_key": key, "elsewhere": request.resolve == "visible"} for key, i in first.items()
    ]
    known = await batch.tx.run("entity/resolve_for_create", rows=names) if names else []
    # The name of an entity that was merged into another means that one.
    survivors = {row["index"]: row["survivor"] for row in known if row["survivor"] is not None}
    elsewhere = {row["index"]: row["others"] for row in known if row["own"] is None and row["others"]}
    rows = [
        {
            "index": i,
            "id": batch.ids.get("ent", i),
            "transition_id": batch.ids.get("trn", "entity", i),
            "name": survivors[i]["name"] if i in survivors else items[i].name,
            "name_key": survivors[i]["name_key"] if i in survivors else key,
            "kind": items[i].kind,
            "kind_key": name_key(items[i].kind or "") or None,
        }
        for key, i in sorted(first.items())
        if i not in elsewhere
    ]
    rows.sort(key=lambda row: str(row["name_key"]))
    made = await batch.run("entity/create_entities", rows)
    results: dict[int, dict[str, Any]] = {}
    aliases: list[AliasRow] = []
    contents: list[ContentRow] = []
    for i, parsed in enumerate(request.entities):
        if isinstance(parsed, InvalidItem):
            results[i] = invalid_outcome(i, parsed)
            continue
        key = name_key(parsed.name)
        lead = first[key]
        others = elsewhere.get(lead, [])
        if len(others) > 1:
            results[i] = {"index": i, "outcome": "ambiguous", "name": parsed.name}
            continue
        if others:
            result = {
                "index": i,
                "outcome": "existing",
                "id": others[0]["id"],
                "name": parsed.name,
                "scope": others[0]["scope"],
            }
            conflict = parsed.kind is not None and name_key(parsed.kind) != name_key(
                others[0]["kind"] or parsed.kind
            )
        else:
            row = made[lead]
            changed = row["changed"] if i == lead else None
            result = {
                "index": i,
                "outcome": changed or "existing",
                "id": row["id"],
                "name": parsed.name,
                "scope": write,
            }
            conflict = bool(row["kind_conflict"]) if i == lead else False
            if i == lead:
                aliases.append(AliasRow((i, "name"), row["id"], row["name"], primary=True, scope=write))
        if conflict:
            result["kind_conflict"] = True
        result["observations"] = []
        result["aliases"] = []
        results[i] = result
        for j, alias in enumerate(parsed.aliases):
            aliases.append(AliasRow((i, j), result["id"], alias, primary=False, scope=write))
        for j, content in enumerate(parsed.observations):
            contents.append(ContentRow((i, j), result["id"], content, parsed.source_ref))
    await _attach(batch, items, results, aliases, contents)
    return [results[i] for i in sorted(results)]


async def _attach(
    batch: WriteBatch,
    items: dict[int, EntityInput],
    results: dict[int, dict[str, Any]],
    aliases: list[AliasRow],
    contents: list[ContentRow],
) -> None:
    """Names, aliases, facts and external ids of the entities just made, each with its outcome."""
    named = await add_alias_rows(batch, aliases)
    added = await add_observation_rows(batch, contents)
    for (i, j), outcome in named.items():
        if j != "name":
            results[i]["aliases"].append(outcome)
    for (i, _), outcome in added.items():
        results[i]["observations"].append(outcome)
    external = [
        {
            "index": i,
            "entity_id": results[i]["id"],
            "value": value,
            "transition_id": batch.ids.get("trn", "external", i, value),
        }
        for i, item in items.items()
        if results[i].get("scope") == batch.scope.write
        for value in sorted(set(item.external_ids))
    ]
    if not external:
        return
    for row in await batch.run_rows("entity/set_external_ids", external):
        result = results[row["index"]]
        result.setdefault("external_ids", []).append(
            {"value": row["value"], "outcome": "set" if row["owner"] == result["id"] else "conflict"}
        )


async def update_entities(call: Call, request: UpdateEntities) -> dict[str, Any]:
    """Rename entities or correct their kinds. Outcomes: updated, conflict, skipped, ambiguous, invalid."""
    return await run_write(call, "update_entities", request, "items", lambda batch: _update(batch, request))


async def _update(batch: WriteBatch, request: UpdateEntities) -> Results:
    results: dict[int, dict[str, Any]] = {}
    # One item at a time, in order: a later one may use a name that an earlier one gave or gave up.
    for i, parsed in enumerate(request.items):
        if isinstance(parsed, InvalidItem):
            results[i] = invalid_outcome(i, parsed)
            continue
        found = (await batch.resolve([parsed.entity]))[0]
        if len(found) > 1:
            results[i] = {"index": i, "outcome": "ambiguous"}
            continue
        results[i] = {"index": i, "outcome": "skipped"}
        if not found or found[0]["scope"] not in batch.scope.writable:
            continue
        rows = [
            {
                "index": i,
                "id": found[0]["id"],
                "transition_id": batch.ids.get("trn", "update", i),
                "name": parsed.name,
                "name_key": name_key(parsed.name) if parsed.name else None,
                "kind": parsed.kind,
                "kind_key": name_key(parsed.kind) if parsed.kind else None,
            }
        ]
        renamed = (await batch.run("entity/rename_entities", rows)).get(i)
        if renamed is None:
            continue
        results[i] = {"index": i, "outcome": renamed["outcome"], "id": renamed["id"]}
        if renamed["outcome"] == "updated" and parsed.name:
            alias_rows = [
                AliasRow((i, "name"), renamed["id"], parsed.name, primary=True, scope=renamed["scope"])
            ]
            if name_key(renamed["before_name"]) != name_key(parsed.name):
                alias_rows.append(
                    AliasRow(
                        (i, "old"),
                        renamed["id"],
                        renamed["before_name"],
                        primary=False,
                        scope=renamed["scope"],
                    )
                )
            await add_alias_rows(batch, alias_rows)
    return [results[i] for i in sorted(results)]


async def delete_entities(call: Call, request: DeleteEntities) -> dict[str, Any]:
    """Retire entities; unknown, invisible, ambiguous, read-only and retired ones contribute zero."""

    async def work(batch: WriteBatch) -> Results:
        names = [name for name in request.names if not isinstance(name, InvalidItem)]
        owners = await batch.resolve(names)
        found_now = {found[0]["id"] for found in owners if len(found) == 1}
        # What an earlier attempt retired, its answer lost, is found by name no more: it is only looked at again.
        ids = sorted(found_now | batch.ids.last_places("trn", "retire"))
        rows = [
            {
                "index": i,
                "id": entity_id,
                "transition_id": batch.ids.get("trn", "retire", entity_id),
                "is_found": entity_id in found_now,
            }
            for i, entity_id in enumerate(ids)
        ]
        retired = await batch.run("entity/retire_entities", rows)
        await index_lookup_keys(batch, ids)
        return [{"index": i, "outcome": "retired", "id": row["id"]} for i, row in retired.items()]

    return await run_retire(call, "delete_entities", request, "names", request.names, work)
