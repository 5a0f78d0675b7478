"""get_provenance, retire_by_provenance, audit_memory (spec 01, 08)."""

from collections import Counter
from functools import partial
from typing import Any, Final

import orjson

from graphsvc.domain.budget import Limit
from graphsvc.domain.listing import deliver_list
from graphsvc.errors import NotFound
from graphsvc.models.provenance import AuditMemory, GetProvenance, RetireByProvenance
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.single import run_single
from graphsvc.service.writing import WriteBatch

_TRANSITIONS_SHOWN: Final = 20
_CHAIN_MAX: Final = 200
_UNDO_PAGE: Final = 1_000
_COUNTED_MAX: Final = 2**31
_EXAMPLES: Final = 20
RETIRING: Final = {
    "observation": ("observations", "provenance/retire_observations"),
    "relation": ("relations", "provenance/retire_relations"),
    "task_link": ("links", "provenance/retire_links"),
    "alias": ("aliases", "provenance/retire_aliases"),
    "task": ("tasks", "task/retire_work_items"),
    "note": ("notes", "task/retire_work_items"),
    "claim": ("claims", "claim/retire_claims"),
    "document": ("documents", "document/retire_documents"),
    "support": ("supports", "memory/retire_supports"),
    "candidate": ("candidates", "memory/retire_candidates"),
    "entity": ("entities", "entity/retire_entities"),
}
"""Kinds of things in the order in which an undo retires them, with their name in the answer and their query."""


async def get_provenance(call: Call, request: GetProvenance) -> str:
    """The body of the answer: the thing, then step by step what stands behind it. Raises NotFound."""
    scope = call.principal.read_scope()
    chain: list[dict[str, Any]] = []
    seen: set[str] = set()
    open_ = [request.id]
    while open_ and len(chain) < _CHAIN_MAX:
        ids = [item_id for item_id in dict.fromkeys(open_) if item_id not in seen]
        seen.update(ids)
        found = await call.graph.read(scope, "provenance/behind", bookmarks=call.bookmarks, ids=ids)
        changes = await call.graph.read(
            scope, "provenance/transitions_of", bookmarks=call.bookmarks, ids=ids, page=_TRANSITIONS_SHOWN
        )
        nodes = {row["id"]: row for row in found}
        logs = {row["id"]: row for row in changes}
        open_ = []
        for item_id in ids:
            if item_id in nodes or item_id in logs:
                chain.append(_step(item_id, nodes.get(item_id), logs.get(item_id)))
                open_ += nodes[item_id]["behind"] if item_id in nodes else []
    if not chain:
        raise NotFound
    return deliver_list(
        "chain", chain, Limit(request.budget.unit, request.budget.limit), head={"id": request.id}
    )


def _step(item_id: str, node: dict[str, Any] | None, log: dict[str, Any] | None) -> dict[str, Any]:
    shown = {
        key: value for key, value in sorted((node["shown"] if node else {}).items()) if value is not None
    }
    return {
        "id": item_id,
        "step": node["kind"] if node else (log or {})["kind"],
        **({"content": _with_source(shown)} if shown else {}),
        "behind": node["behind"] if node else [],
        "transitions": [
            _with_source({key: value for key, value in sorted(change.items()) if value is not None})
            for change in (log["transitions"] if log else [])
        ],
    }


def _with_source(record: dict[str, Any]) -> dict[str, Any]:
    source_ref = record.get("source_ref")
    return record | {"source_ref": orjson.loads(source_ref)} if source_ref else record


async def retire_by_provenance(call: Call, request: RetireByProvenance) -> dict[str, Any]:
    """Retire what one run created, in the scopes that the caller governs; `dry_run` only counts it."""
    scope = call.principal.acting_scope("govern", request.scope)
    retired: Counter[str] = Counter(dict.fromkeys((name for name, _ in RETIRING.values()), 0))
    answer: dict[str, Any] = {"request_id": call.request_id, "bookmarks": []}
    while True:
        page = None if request.dry_run else _UNDO_PAGE
        created = await _created(call, scope, request, page)
        if not request.dry_run and created:
            answer = await run_single(
                call, "retire_by_provenance", request, scope, partial(_retire, created=created)
            )
            done = answer.pop("done")
            answer.pop("outcome")
        else:
            done = {kind: len(ids) for kind, ids in created.items()}
        for kind, count in done.items():
            retired[RETIRING[kind][0]] += count
        is_last_page = sum(map(len, created.values())) < _UNDO_PAGE
        if request.dry_run or is_last_page or not any(done.values()):
            return {"would_retire" if request.dry_run else "retired": dict(retired), **answer}


async def _created(
    call: Call, scope: Scope, request: RetireByProvenance, page: int | None
) -> dict[str, list[str]]:
    run: dict[str, Any] = dict(request.run)
    rows = await call.graph.read(
        scope, "provenance/created_by_run", bookmarks=call.bookmarks, page=page or _COUNTED_MAX, **run
    )
    return {row["kind"]: row["ids"] for row in rows if row["kind"] in RETIRING}


async def _retire(batch: WriteBatch, created: dict[str, list[str]]) -> dict[str, Any]:
    done: dict[str, int] = {}
    for kind, (_, query) in RETIRING.items():
        rows = [
            {
                "index": i,
                "id": item_id,
                "is_found": True,
                "transition_id": batch.ids.get("trn", "undo", item_id),
            }
            for i, item_id in enumerate(created.get(kind, ()))
        ]
        done[kind] = len(await batch.run(query, rows))
    return {"outcome": "retired", "done": done}


async def audit_memory(call: Call, request: AuditMemory) -> str:
    """What is not as it should be in the visible memory; nothing is changed."""
    rows = await call.graph.read(
        call.principal.read_scope(), "audit/memory_problems", bookmarks=call.bookmarks, examples=_EXAMPLES
    )
    problems = [{"problem": row["problem"], "found": row["found"], "ids": row["ids"]} for row in rows]
    problems.sort(key=lambda row: str(row["problem"]))
    return deliver_list("problems", problems, Limit(request.budget.unit, request.budget.limit))
