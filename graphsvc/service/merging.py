"""merge_entities, unmerge_entities (spec 01).

A merge hides the source and records what it had on the survivor, once, marked `merged_from`; the source's own things
stay as they are, so that taking the merge back gives exactly those. What was written on the survivor meanwhile stays
with it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from graphsvc.errors import Conflict, InvalidRequest, Problem
from graphsvc.graph import Row
from graphsvc.ids import Kind
from graphsvc.models.common import ExternalIdReference
from graphsvc.models.writes import MergeEntities, UnmergeEntities
from graphsvc.scope import Scope
from graphsvc.service.aliases import index_lookup_keys
from graphsvc.service.call import Call
from graphsvc.service.relations import PROPERTY_PREFIX
from graphsvc.service.single import run_single
from graphsvc.service.writing import ReferenceValue, WriteBatch, reference_row

_PARTS: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("observations", "obs", "merge/copy_observations", "merge/take_back_observations"),
    ("relations", "rel", "merge/copy_relations", "merge/take_back_relations"),
    ("aliases", "als", "merge/copy_aliases", "merge/take_back_aliases"),
    ("links", "lnk", "merge/copy_task_links", "merge/take_back_task_links"),
)
"""What hangs on an entity, the kind of its ids, and how it is recorded on the survivor and taken back."""


async def merge_entities(call: Call, request: MergeEntities) -> dict[str, Any]:
    """Merge an entity into another of the same scope. Outcomes: merged (or would_merge), existing (it is merged into
    that one), skipped (either is not there, live and governed by the caller), ambiguous.

    `moved` counts what the survivor gets, `duplicates` what it had already, `hidden` the relations between the two; of
    what the caller sees. Raises InvalidRequest for an entity and itself, Conflict for two scopes.
    """
    scope = call.principal.acting_scope("govern", request.scope)

    async def work(batch: WriteBatch) -> dict[str, Any]:
        return await _merge(batch, request)

    if not request.dry_run:
        return await run_single(call, "merge_entities", request, scope, work)
    # What would happen is what happens, in a transaction that is never committed.
    async with call.graph.rehearsal() as graph:
        rehearsed = Call(graph, call.principal, call.request_id)
        answer = await run_single(rehearsed, "merge_entities", request, scope, work)
    if answer["outcome"] == "merged":
        answer["outcome"] = "would_merge"
    return answer


async def _merge(batch: WriteBatch, request: MergeEntities) -> dict[str, Any]:
    targets = (await batch.resolve([request.target]))[0]
    merged = await _merged_sources(batch.tx.run, batch.scope, request.source)
    sources = (await batch.resolve([request.source]))[0]
    if len(targets) > 1 or len(sources) > 1:
        return {"outcome": "ambiguous"}
    if not targets or not sources:
        return {"outcome": "skipped"}
    source_id, target_id = sources[0]["id"], targets[0]["id"]
    if source_id == target_id:
        # What is merged already is answered for by its survivor.
        gone = [row for row in merged if row["into"] == target_id]
        if len(gone) != 1:
            raise InvalidRequest(problems=[Problem("$.source", "is the same entity as the target")])
        source_id = gone[0]["id"]
    transition_id = batch.ids.get("trn", "merge", source_id, target_id)
    row = {"source_id": source_id, "target_id": target_id, "transition_id": transition_id}
    found = await batch.tx.run("merge/merge_entities", row=row, context=batch.context)
    if not found or found[0]["outcome"] == "skipped":
        return {"outcome": "skipped"}
    if found[0]["outcome"] == "conflict":
        raise Conflict("only entities of the same scope can be merged")
    answer = {"outcome": found[0]["outcome"], "source": source_id, "target": target_id}
    if not found[0]["transition_id"]:
        return answer
    batch.transition_ids.append(transition_id)
    return answer | await _record_parts(batch, source_id, target_id)


async def _record_parts(batch: WriteBatch, source_id: str, target_id: str) -> dict[str, Any]:
    ends = {"source_id": source_id, "target_id": target_id}
    parts = (await batch.tx.run("merge/parts", **ends))[0]
    moved, duplicates = {}, {}
    for name, kind, copy, _ in _PARTS:
        rows = [
            {
                "index": i,
                "id": part["id"],
                "copy_id": batch.ids.get(kind, "merged", part["id"]),
                "transition_id": batch.ids.get("trn", "merged", part["id"]),
                **_properties(part.get("properties")),
            }
            for i, part in enumerate(parts[name])
        ]
        made = await batch.run(copy, rows, **ends)
        is_seen = [part["scope"] in batch.scope.visible for part in parts[name]]
        moved[name] = sum(seen and made[i]["changed"] is not None for i, seen in enumerate(is_seen))
        duplicates[name] = sum(is_seen) - moved[name]
    await index_lookup_keys(batch, [source_id, target_id])
    hidden = sum(scope in batch.scope.visible for scope in parts["hidden"])
    return {"moved": moved, "duplicates": duplicates, "hidden_relations": hidden}


def _properties(stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """The properties that callers gave a relation, as they are stored and as its history tells them."""
    given = {name: value for name, value in (stored or {}).items() if name.startswith(PROPERTY_PREFIX)}
    plain = {name.removeprefix(PROPERTY_PREFIX): value for name, value in given.items()}
    told = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS).decode() if plain else None
    return {"properties": given, "properties_json": told}


async def unmerge_entities(call: Call, request: UnmergeEntities) -> dict[str, Any]:
    """Take a merge back: the source has again what it had. Outcomes: unmerged, skipped (not merged, or not governed by
    the caller), ambiguous. Raises Conflict while the survivor is merged in its turn: that is taken back first.
    """
    scope = call.principal.acting_scope("govern", request.scope)

    async def work(batch: WriteBatch) -> dict[str, Any]:
        sources = [row["id"] for row in await _merged_sources(batch.tx.run, batch.scope, request.source)]
        # What an earlier attempt brought back, its answer lost, is merged no more: it is only looked at again.
        sources = sources or sorted(batch.ids.last_places("trn", "unmerge"))
        if len(sources) != 1:
            return {"outcome": "ambiguous" if sources else "skipped"}
        transition_id = batch.ids.get("trn", "unmerge", sources[0])
        row = {"source_id": sources[0], "transition_id": transition_id}
        found = await batch.tx.run("merge/unmerge_entities", row=row, context=batch.context)
        if not found or found[0]["outcome"] == "skipped":
            return {"outcome": "skipped"}
        if found[0]["outcome"] == "conflict":
            raise Conflict("the survivor is merged itself; take that merge back first")
        batch.transition_ids.append(transition_id)
        ends = {"source_id": sources[0], "target_id": found[0]["target_id"]}
        taken = {}
        for name, _, _, take_back in _PARTS:
            gone = await batch.tx.run(take_back, transition_id=transition_id, context=batch.context, **ends)
            batch.transition_ids += [one["transition_id"] for one in gone]
            taken[name] = sum(one["scope"] in batch.scope.visible for one in gone)
        await index_lookup_keys(batch, list(ends.values()))
        return {"outcome": "unmerged", "source": sources[0], "target": ends["target_id"], "taken_back": taken}

    return await run_single(call, "unmerge_entities", request, scope, work)


async def _merged_sources(run: Callable[..., Any], scope: Scope, reference: ReferenceValue) -> list[Row]:
    """The merged entities that a reference means, by their ids or the names that they had; two are ambiguous."""
    if isinstance(reference, ExternalIdReference) or not scope.visible:
        return []
    row = reference_row(0, reference)
    rows: list[Row] = await run("merge/merged_sources", id=row["id"], key=row["key"])
    return rows
