"""Links between tasks and entities: link, unlink, reject, list, export (spec 07)."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from graphsvc.cursor import decode_cursor, encode_cursor, invalid_cursor
from graphsvc.domain.budget import Limit
from graphsvc.domain.framing import FRAMING, json_text
from graphsvc.domain.listing import deliver_list
from graphsvc.domain.suggestion import HIGH_CONFIDENCE, SCORER_VERSION
from graphsvc.errors import Conflict, Forbidden, InvalidRequest, NotFound, Problem
from graphsvc.graph import Row
from graphsvc.models.tasks import (
    ExportLinkLabels,
    GetEntityTasks,
    GetTaskLinks,
    LinkTaskEntity,
    ListRequest,
    RejectSuggestion,
    UnlinkTaskEntity,
)
from graphsvc.scope import SHARED, Scope
from graphsvc.service.call import Call
from graphsvc.service.past import Past
from graphsvc.service.single import run_single
from graphsvc.service.suggestions import score_pairs, signals_json
from graphsvc.service.tasks import resolve_work_items
from graphsvc.service.writing import WriteBatch, resolve_references


async def link_task_entity(call: Call, request: LinkTaskEntity) -> dict[str, Any]:
    """Link a task to an entity. Outcomes: created, upgraded (from auto), revived, existing, suppressed (auto on a
    rejected pair), skipped (either is not there, or the task is not writable), ambiguous.
    """
    if request.origin == "auto" and call.principal.kind != "service" and call.load_id is None:
        raise Forbidden("only loads and service principals make automatic links")
    given = [name for name in ("score", "signals", "scorer_version") if getattr(request, name) is not None]
    if given and (request.origin != "auto" or request.score is None):
        reason = "belongs to an automatic link with a score"
        raise InvalidRequest(problems=[Problem(f"$.{name}", reason) for name in given])

    async def work(batch: WriteBatch) -> dict[str, Any]:
        row, outcome = await _pair(batch, request, "link")
        if row is None:
            return outcome
        if request.score is not None:
            row |= {
                "score": request.score,
                "signals": signals_json(request.signals) if request.signals else None,
                "scorer_version": request.scorer_version or call.principal.name,
            }
        linked = await batch.run("task_link/link_task_entity", [{**row, "origin": request.origin}])
        return {"outcome": linked[0]["outcome"], "id": linked[0]["id"]} if linked else {"outcome": "skipped"}

    return await run_single(call, "link_task_entity", request, _scope(call, request), work)


async def unlink_task_entity(call: Call, request: UnlinkTaskEntity) -> dict[str, Any]:
    """Remove a link and answer how many were removed: one, or zero where there is none, live and writable."""

    async def work(batch: WriteBatch) -> dict[str, Any]:
        row, _ = await _pair(batch, request, "unlink")
        removed = (
            await batch.run("task_link/unlink_task_entity", [row], high_confidence=HIGH_CONFIDENCE)
            if row
            else {}
        )
        return {"outcome": "removed", "removed": len(removed)}

    answer = await run_single(call, "unlink_task_entity", request, _scope(call, request), work)
    answer.pop("outcome")
    return answer


async def reject_suggestion(call: Call, request: RejectSuggestion) -> dict[str, Any]:
    """Record that a pair does not belong together. Outcomes: rejected, existing, skipped, ambiguous.

    Raises Conflict for a pair that somebody linked by hand: that is unlinked, not rejected.
    """

    async def work(batch: WriteBatch) -> dict[str, Any]:
        row, outcome = await _pair(batch, request, "reject")
        if row is None:
            return outcome
        rejected = (await batch.run("task_link/reject_suggestion", [row])).get(0)
        if rejected is None:
            return {"outcome": "skipped"}
        if rejected["outcome"] == "manual":
            raise Conflict("the link was made by hand; unlink it instead")
        return {"outcome": rejected["outcome"], "id": rejected["id"]}

    return await run_single(call, "reject_suggestion", request, _scope(call, request), work)


def _scope(call: Call, request: LinkTaskEntity | UnlinkTaskEntity) -> Scope:
    """Where links may be written: in the scope that is named, or in all that the caller may write to."""
    if request.scope is not None:
        return call.principal.write_scope(request.scope)
    return call.principal.acting_scope("write")


async def _pair(
    batch: WriteBatch, request: LinkTaskEntity | UnlinkTaskEntity, action: str
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The row of a pair, with its score as of now, or None and the outcome that says why there is no pair."""
    tasks = (await resolve_work_items(batch.tx.run, "task", [request.task]))[0]
    entities = (await batch.resolve([request.entity]))[0]
    if len(tasks) > 1 or len(entities) > 1:
        return None, {"outcome": "ambiguous"}
    if not tasks or not entities or tasks[0]["scope"] not in batch.scope.writable:
        return None, {"outcome": "skipped"}
    task_id, entity_id = tasks[0]["id"], entities[0]["id"]
    row: dict[str, Any] = {
        "index": 0,
        "id": batch.ids.get("lnk", 0),
        "transition_id": batch.ids.get("trn", action),
        "task_id": task_id,
        "entity_id": entity_id,
        "reason": getattr(request, "reason", None),
    }
    if action != "unlink":
        # The score is kept and shown to all who see both ends: it may rest on nothing that one of them does not see.
        common = batch.scope.within({tasks[0]["scope"], entities[0]["scope"], SHARED})
        scored = await score_pairs(batch.tx.seeing(common).run, common, task_id, also=[entity_id])
        pair = next((pair for pair in scored if pair["entity"]["id"] == entity_id), None)
        row |= {
            "score": pair["score"] if pair else None,
            "signals": signals_json(pair["signals"]) if pair else None,
            "scorer_version": SCORER_VERSION if pair else None,
        }
    return row, {}


async def get_task_links(call: Call, request: GetTaskLinks) -> str:
    """A page of the entities that a task is linked to. Raises NotFound for a task that is not there."""
    scope = call.principal.read_scope()
    if request.as_of is not None:
        past = Past(call, scope, request.as_of)
        task_id = await past.work_item("task", request.task)
        if task_id is None:
            raise NotFound
        return await _past_links(past, request, "task-links", task_id=task_id, entity_id=None)
    owners = (await resolve_work_items(_reader(call, scope), "task", [request.task]))[0]
    if len(owners) != 1:
        raise NotFound
    return await _links(
        call, scope, request, "task_link/links_of_task", "task-links", task_id=owners[0]["id"]
    )


async def get_entity_tasks(call: Call, request: GetEntityTasks) -> str:
    """A page of the tasks that are linked to an entity. Raises NotFound for an entity that is not there."""
    scope = call.principal.read_scope()
    if request.as_of is not None:
        past = Past(call, scope, request.as_of)
        ids = (await past.resolve([request.entity]))[0]
        if len(ids) != 1:
            raise NotFound
        return await _past_links(past, request, "entity-tasks", task_id=None, entity_id=ids[0])
    owners = (await resolve_references(_reader(call, scope), [request.entity]))[0]
    if len(owners) != 1:
        raise NotFound
    return await _links(
        call, scope, request, "task_link/links_of_entity", "entity-tasks", entity_id=owners[0]["id"]
    )


def _reader(call: Call, scope: Scope) -> Callable[..., Any]:
    async def read(query: str, **params: object) -> list[Row]:
        return await call.graph.read(scope, query, bookmarks=call.bookmarks, **params)

    return read


def cursor_place(cursor: str | None, read: str) -> str:
    """The id after which a page begins. Raises InvalidRequest for a cursor of another read."""
    if cursor is None:
        return ""
    match decode_cursor(cursor, read):
        case [str(after)]:
            return after
        case _:
            raise invalid_cursor()


async def _links(
    call: Call,
    scope: Scope,
    request: GetTaskLinks | GetEntityTasks,
    query: str,
    read: str,
    **of: str,
) -> str:
    rows = await call.graph.read(
        scope,
        query,
        bookmarks=call.bookmarks,
        after=cursor_place(request.cursor, read),
        page=request.limit + 1,
        include_removed=request.include_removed,
        **of,
    )
    links = [_link_record(link, removed=request.include_removed) for link in rows[0]["links"]]
    return deliver_page("links", links, request, read)


async def _past_links(
    past: Past,
    request: GetTaskLinks | GetEntityTasks,
    read: str,
    *,
    task_id: str | None,
    entity_id: str | None,
) -> str:
    """As `_links`, with links and ends as they were."""
    rows = await past.read(
        "past/links",
        task_id=task_id,
        entity_id=entity_id,
        after=cursor_place(request.cursor, read),
        include_removed=request.include_removed,
        page=request.limit + 1,
    )
    links: list[dict[str, Any]] = rows[0]["links"]
    far = "entity" if entity_id is None else "task"
    states = await past.states([link["id"] for link in links] + [link[far]["id"] for link in links])
    records = []
    for link in links:
        state, end = states[link["id"]], states[link[far]["id"]].content
        fields = ("name", "kind") if far == "entity" else ("external_id", "title", "status", "due")
        record = {
            **{name: link[name] for name in ("id", "scope", "created_at", "created_by")},
            far: {**link[far], **{name: end.get(name) for name in fields}},
            **{name: state.content.get(name) for name in ("origin", "score", "signals", "scorer_version")},
            **{name: state.content.get(name) for name in ("removal", "reason")},
            "removed_at": state.ended_at,
            "removed_by": state.ended_by,
            "last_seen_at": None,
        }
        records.append(_link_record(record, removed=request.include_removed))
    return deliver_page("links", records, request, read)


def deliver_page(name: str, records: Sequence[dict[str, Any]], request: ListRequest, read: str) -> str:
    """A page of records that have ids, one more than the page having been asked for."""
    return deliver_list(
        name,
        records[: request.limit],
        Limit(request.budget.unit, request.budget.limit),
        cursor_after=lambda record: encode_cursor(read, [record["id"]]),
        more=len(records) > request.limit,
    )


def _link_record(link: dict[str, Any], *, removed: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        name: link[name]
        for name in (
            "id",
            "task",
            "entity",
            "scope",
            "origin",
            "score",
            "created_at",
            "created_by",
            "last_seen_at",
        )
        if name in link
    }
    for end, fields in (
        ("task", ("id", "external_id", "title", "status", "due", "scope")),
        ("entity", ("id", "name", "kind", "scope")),
    ):
        if end in record:
            record[end] = {name: record[end][name] for name in fields}
    record["signals"] = orjson.loads(link["signals"]) if link["signals"] else None
    record["scorer_version"] = link["scorer_version"]
    if removed:
        record |= {name: link[name] for name in ("removal", "removed_at", "removed_by", "reason")}
    return record


async def export_link_labels(call: Call, request: ExportLinkLabels) -> str:
    """JSON Lines: the framing, a line a label (accepted or rejected, with score and signals), count and cursor."""
    scope = call.principal.read_scope()
    rows = await call.graph.read(
        scope,
        "task_link/labels",
        bookmarks=call.bookmarks,
        after=cursor_place(request.cursor, "labels"),
        page=request.limit + 1,
    )
    labels = [
        {**label, "signals": orjson.loads(label["signals"]) if label["signals"] else None}
        for label in (rows[0]["labels"] if rows else [])
    ]
    shown = labels[: request.limit]
    more = len(labels) > request.limit
    end = {
        "labels": len(shown),
        "next_cursor": encode_cursor("labels", [shown[-1]["link_id"]]) if more else None,
    }
    return "".join(f"{json_text(line)}\n" for line in ({"framing": FRAMING}, *shown, end))
