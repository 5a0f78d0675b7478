"""retire and revive by id: tasks, notes, claims, documents, candidates (spec 01)."""

from typing import Any, Final, Literal

from graphsvc.ids import Kind, is_id
from graphsvc.models.tasks import RetireById, ReviveById
from graphsvc.service.call import Call
from graphsvc.service.retiring import run_retire
from graphsvc.service.writing import Results, WriteBatch

_QUERIES: Final[dict[Literal["retire", "revive"], dict[tuple[Kind, ...], str]]] = {
    "retire": {
        ("task", "note"): "task/retire_work_items",
        ("clm",): "claim/retire_claims",
        ("doc",): "document/retire_documents",
        ("cand",): "memory/retire_candidates",
    },
    "revive": {
        ("task", "note"): "task/revive_work_items",
        ("clm",): "claim/revive_claims",
        ("doc",): "document/revive_documents",
        ("cand",): "memory/revive_candidates",
    },
}
"""Which query retires or revives ids of which kinds."""


async def retire(call: Call, request: RetireById) -> dict[str, Any]:
    """Retire things by id; unknown, invisible, read-only and retired ones contribute zero."""
    return await _change(call, request, "retire")


async def revive(call: Call, request: ReviveById) -> dict[str, Any]:
    """Revive things by id; unknown, invisible, read-only and live ones contribute zero."""
    answer = await _change(call, request, "revive")
    return {"revived": answer.pop("retired"), **answer}


async def _change(call: Call, request: RetireById, action: Literal["retire", "revive"]) -> dict[str, Any]:
    async def work(batch: WriteBatch) -> Results:
        results: Results = []
        for kinds, query in _QUERIES[action].items():
            rows = [
                {"index": i, "id": item_id, "transition_id": batch.ids.get("trn", action, item_id)}
                for i, item_id in enumerate(sorted(set(request.ids)))
                if any(is_id(item_id, kind) for kind in kinds)
            ]
            changed = await batch.run(query, rows)
            results += [
                {"index": i, "outcome": f"{action}d", "id": row["id"]} for i, row in sorted(changed.items())
            ]
        return results

    scope = call.principal.acting_scope("write") if request.scope is None else None
    return await run_retire(call, action, request, "ids", request.ids, work, scope)
