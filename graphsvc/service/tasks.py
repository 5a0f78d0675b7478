"""Tasks and notes: create, update (spec 01, 07). They have one shape; a note lacks status and due."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from graphsvc.domain.safety import secret_warning
from graphsvc.domain.titles import title_terms
from graphsvc.domain.words import index_terms
from graphsvc.graph import Row
from graphsvc.ids import is_id
from graphsvc.models.common import IdReference, InvalidItem
from graphsvc.models.tasks import (
    CreateNotes,
    CreateTasks,
    NoteInput,
    NoteUpdate,
    TaskExternalId,
    TaskUpdate,
    UpdateNotes,
    UpdateTasks,
)
from graphsvc.service.call import Call
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, run_write

WorkItemKind = Literal["task", "note"]
TaskReferenceValue = IdReference | TaskExternalId | str


def work_item_terms(title: str, body: str | None) -> str:
    """The words under which a task or note is found, and the pieces of its title."""
    return " ".join([*index_terms(f"{title}\n{body or ''}"), *title_terms(title)])


async def create_tasks(call: Call, request: CreateTasks) -> dict[str, Any]:
    """Create tasks. Outcomes: created, existing (by external id, left as it is), revived, invalid."""
    return await run_write(
        call, "create_tasks", request, "tasks", lambda batch: _create(batch, "task", request.tasks)
    )


async def create_notes(call: Call, request: CreateNotes) -> dict[str, Any]:
    """Create notes. Outcomes as of create_tasks."""
    return await run_write(
        call, "create_notes", request, "notes", lambda batch: _create(batch, "note", request.notes)
    )


async def _create(batch: WriteBatch, kind: WorkItemKind, items: Sequence[NoteInput | InvalidItem]) -> Results:
    rows: list[dict[str, Any]] = []
    lead: dict[str, int] = {}
    for i, item in enumerate(items):
        if isinstance(item, InvalidItem):
            continue
        if item.external_id is not None and lead.setdefault(item.external_id, i) != i:
            continue
        rows.append(
            {
                "index": i,
                "kind": kind,
                "id": batch.ids.get(kind, i),
                "transition_id": batch.ids.get("trn", kind, i),
                "external_id": item.external_id,
                "title": item.title,
                "body": item.body,
                "status": getattr(item, "status", None),
                "due": getattr(item, "due", None),
                "terms": work_item_terms(item.title, item.body),
            }
        )
    made = await batch.run(
        "task/create_work_items", sorted(rows, key=lambda row: row["external_id"] or row["id"])
    )
    results: Results = []
    for i, item in enumerate(items):
        if isinstance(item, InvalidItem):
            results.append(invalid_outcome(i, item))
            continue
        first = lead.get(item.external_id, i) if item.external_id is not None else i
        changed = made[first]["changed"] if first == i else None
        results.append(
            {
                "index": i,
                "outcome": changed or "existing",
                "id": made[first]["id"],
                **secret_warning(title=item.title, body=item.body),
            }
        )
    return results


async def update_tasks(call: Call, request: UpdateTasks) -> dict[str, Any]:
    """Change tasks. Outcomes: updated, skipped (not there, not live, not writable), ambiguous, invalid."""
    return await run_write(
        call, "update_tasks", request, "items", lambda batch: _update(batch, "task", request.items)
    )


async def update_notes(call: Call, request: UpdateNotes) -> dict[str, Any]:
    """Change notes. Outcomes as of update_tasks."""
    return await run_write(
        call, "update_notes", request, "items", lambda batch: _update(batch, "note", request.items)
    )


async def _update(
    batch: WriteBatch, kind: WorkItemKind, items: Sequence[TaskUpdate | NoteUpdate | InvalidItem]
) -> Results:
    results: dict[int, dict[str, Any]] = {}
    valid = [(i, item) for i, item in enumerate(items) if not isinstance(item, InvalidItem)]
    owners = await resolve_work_items(batch.tx.run, kind, [_reference(item) for _, item in valid])
    for (i, item), found in zip(valid, owners, strict=True):
        results[i] = {"index": i, "outcome": "ambiguous" if len(found) > 1 else "skipped"}
        if len(found) != 1 or found[0]["scope"] not in batch.scope.writable:
            continue
        content = {
            name: getattr(item, name)
            for name in ("title", "body", "status", "due")
            if name in item.model_fields_set
            # A title or status cannot be cleared: null leaves it.
            and not (name in {"title", "status"} and getattr(item, name) is None)
        }
        rows = [
            {
                "index": i,
                "kind": kind,
                "id": found[0]["id"],
                "transition_id": batch.ids.get("trn", "update", i),
                "content": content,
            }
        ]
        # One item at a time, in order: two updates of one task are two steps of its history.
        updated = (await batch.run("task/update_work_items", rows)).get(i)
        if updated is None:
            continue
        warning = secret_warning(title=content.get("title"), body=content.get("body"))
        results[i] = {"index": i, "outcome": "updated", "id": updated["id"], **warning}
        if content.keys() & {"title", "body"}:
            terms = work_item_terms(updated["title"], updated["body"])
            await batch.tx.run("task/set_terms", rows=[{"id": updated["id"], "terms": terms}])
    for i, parsed in enumerate(items):
        if isinstance(parsed, InvalidItem):
            results[i] = invalid_outcome(i, parsed)
    return [results[i] for i in sorted(results)]


def _reference(item: TaskUpdate | NoteUpdate) -> TaskReferenceValue:
    return item.task if isinstance(item, TaskUpdate) else item.note


async def resolve_work_items(
    run: Callable[..., Awaitable[list[Row]]], kind: WorkItemKind, references: Sequence[TaskReferenceValue]
) -> list[Sequence[Row]]:
    """The live, visible owners of each reference by position, with id and scope: none is missing, two are ambiguous."""
    rows = [work_item_row(i, kind, reference) for i, reference in enumerate(references)]
    if not rows:
        return []
    answered = await run("task/resolve_work_items", rows=rows, kind=kind)
    owners: dict[int, Sequence[Row]] = {row["index"]: row["owners"] for row in answered}
    return [owners.get(i, ()) for i in range(len(rows))]


def work_item_row(index: int, kind: WorkItemKind, reference: TaskReferenceValue) -> Row:
    """A reference to a task or note as the resolving queries take it."""
    if isinstance(reference, IdReference):
        return {"index": index, "id": reference.id, "external_id": None}
    if isinstance(reference, TaskExternalId):
        return {"index": index, "id": None, "external_id": reference.external_id}
    as_id = reference if is_id(reference, kind) else None
    return {"index": index, "id": as_id, "external_id": reference}
