"""add_aliases, remove_aliases, and the names that entities bring with them (spec 01, 04)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphsvc.domain.names import name_key, pointer_key
from graphsvc.domain.titles import title_terms
from graphsvc.domain.words import index_terms
from graphsvc.models.common import InvalidItem
from graphsvc.models.writes import AddAliases, AliasesInput, RemoveAliases
from graphsvc.service.call import Call
from graphsvc.service.retiring import run_retire
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, run_write

Place = tuple[int, object]


@dataclass(frozen=True, slots=True)
class AliasRow:
    """One text to become a lookup key of an entity; `place` is (item, position) in the request."""

    place: Place
    entity_id: str
    text: str | InvalidItem
    primary: bool
    scope: str | None


async def add_alias_rows(batch: WriteBatch, aliases: Sequence[AliasRow]) -> dict[Place, dict[str, Any]]:
    """Add lookup keys; outcome by place: added, existing, revived, invalid, with `shared` where it is ambiguous."""
    outcomes: dict[Place, dict[str, Any]] = {}
    lead: dict[tuple[str, str, str | None], int] = {}
    rows: list[dict[str, Any]] = []
    row_of: list[tuple[AliasRow, int, bool]] = []
    for alias in aliases:
        position = alias.place[1] if isinstance(alias.place[1], int) else 0
        if isinstance(alias.text, InvalidItem):
            outcomes[alias.place] = invalid_outcome(position, alias.text)
            continue
        key = (alias.entity_id, name_key(alias.text), alias.scope)
        is_lead = key not in lead
        if is_lead:
            lead[key] = len(rows)
            rows.append(
                {
                    "index": len(rows),
                    "entity_id": alias.entity_id,
                    "scope": alias.scope,
                    "id": batch.ids.get("als", *alias.place),
                    "transition_id": batch.ids.get("trn", "alias", *alias.place),
                    "key": key[1],
                    "pointer_key": pointer_key(alias.text),
                    "terms": " ".join([*index_terms(alias.text), *title_terms(alias.text)]),
                    "text": alias.text,
                    "primary": alias.primary,
                }
            )
        row_of.append((alias, lead[key], is_lead))
    answered = await batch.run(
        "alias/add_aliases", sorted(rows, key=lambda row: (row["key"], row["entity_id"]))
    )
    await index_lookup_keys(batch, [row["entity_id"] for row in rows])
    for alias, index, is_lead in row_of:
        row = answered[index]
        changed = row["changed"] if is_lead else None
        position = alias.place[1] if isinstance(alias.place[1], int) else 0
        outcome: dict[str, Any] = {
            "index": position,
            "outcome": changed if changed in {"added", "revived"} else "existing",
        }
        if row["shared"]:
            outcome["shared"] = True
        outcomes[alias.place] = outcome
    return dict(
        sorted(
            outcomes.items(),
            key=lambda pair: (pair[0][0], str(type(pair[0][1])), str(pair[1]["index"]).zfill(6)),
        )
    )


async def index_lookup_keys(batch: WriteBatch, entity_ids: Sequence[str]) -> None:
    """Tell the full-text index who owns the lookup keys of these entities; after every change of either."""
    if entity_ids:
        await batch.tx.run("alias/index_owner_scopes", entity_ids=sorted(set(entity_ids)))


async def add_aliases(call: Call, request: AddAliases) -> dict[str, Any]:
    """Add other names. Per item: ok, skipped, ambiguous, invalid; per alias: added, existing, revived, invalid."""

    async def work(batch: WriteBatch) -> Results:
        results: dict[int, dict[str, Any]] = {}
        valid = [(i, item) for i, item in enumerate(request.items) if isinstance(item, AliasesInput)]
        owners = await batch.resolve([item.entity for _, item in valid])
        rows: list[AliasRow] = []
        for (i, item), found in zip(valid, owners, strict=True):
            if len(found) != 1:
                results[i] = {"index": i, "outcome": "ambiguous" if found else "skipped"}
                continue
            entity_id = found[0]["id"]
            results[i] = {"index": i, "outcome": "ok", "entity_id": entity_id, "aliases": []}
            is_name = name_key(found[0]["name"])
            for j, text in enumerate(item.aliases):
                if not isinstance(text, InvalidItem) and name_key(text) == is_name:
                    results[i]["aliases"].append({"index": j, "outcome": "existing"})
                else:
                    rows.append(AliasRow((i, j), entity_id, text, primary=False, scope=batch.scope.write))
        for (i, _), outcome in (await add_alias_rows(batch, rows)).items():
            results[i]["aliases"].append(outcome)
        for i, parsed in enumerate(request.items):
            if isinstance(parsed, InvalidItem):
                results[i] = invalid_outcome(i, parsed)
            elif "aliases" in results[i]:
                results[i]["aliases"].sort(key=lambda outcome: outcome["index"])
        return [results[i] for i in sorted(results)]

    return await run_write(call, "add_aliases", request, "items", work)


async def remove_aliases(call: Call, request: RemoveAliases) -> dict[str, Any]:
    """Retire other names; unknown ones and an entity's own name contribute zero."""

    async def work(batch: WriteBatch) -> Results:
        items = [item for item in request.items if not isinstance(item, InvalidItem)]
        owners = await batch.resolve([item.entity for item in items])
        keys = sorted(
            {
                (found[0]["id"], name_key(text))
                for item, found in zip(items, owners, strict=True)
                if len(found) == 1
                for text in item.aliases
                if not isinstance(text, InvalidItem)
            }
        )
        rows = [
            {
                "index": i,
                "entity_id": entity_id,
                "key": key,
                "transition_id": batch.ids.get("trn", "unalias", entity_id, key),
            }
            for i, (entity_id, key) in enumerate(keys)
        ]
        retired = await batch.run_rows("alias/retire_aliases", rows)
        await index_lookup_keys(batch, [row["entity_id"] for row in rows])
        return [{"index": row["index"], "outcome": "retired", "id": row["id"]} for row in retired]

    return await run_retire(call, "remove_aliases", request, "items", request.items, work)
