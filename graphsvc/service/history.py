"""get_history and list_changes: transitions, oldest first (spec 01, 03).

Both are gated by scope alone: they are for looking at what is no longer live. The feed never skips what a transaction
that commits late brings: it goes only as far as no running write can add to any more (`history/settled_until`).
"""

import re
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import orjson

from graphsvc.cursor import decode_cursor, encode_cursor, invalid_cursor
from graphsvc.domain.budget import Limit
from graphsvc.domain.listing import deliver_list
from graphsvc.domain.names import name_key
from graphsvc.domain.times import iso
from graphsvc.errors import Conflict, NotFound
from graphsvc.graph import Row
from graphsvc.ids import is_id
from graphsvc.models.common import ExternalIdReference, IdReference
from graphsvc.models.reads import GetHistory, ListChanges
from graphsvc.service.call import Call
from graphsvc.service.past import past_instant

_ORIGINS: Final = ("session_id", "tool", "chunk_ref", "decision_id", "load_id", "merged_from")
_END_OF_TIME: Final = "9999-12-31T23:59:59Z"
_BEGINNING: Final = {"after_at": "0001-01-01T00:00:00Z", "after_revision": 0, "after_id": ""}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z")
_JSON_FIELDS: Final = frozenset({"source_ref", "properties", "signals"})


async def get_history(call: Call, request: GetHistory) -> str:
    """A page of the transitions of an entity, its observations, aliases, relations and task links.

    Raises NotFound for an entity in no visible scope, Conflict for a name that several have.
    """
    scope = call.principal.read_scope()
    reference = request.entity
    text = reference if isinstance(reference, str) else None
    rows = await call.graph.read(
        scope,
        "history/owner_of_history",
        bookmarks=call.bookmarks,
        id=reference.id if isinstance(reference, IdReference) else text if is_id(text or "", "ent") else None,
        external_id=reference.external_id if isinstance(reference, ExternalIdReference) else None,
        key=name_key(text) if text is not None else None,
    )
    owners = rows[0]["owners"] or []
    if not owners:
        raise NotFound
    if len(owners) > 1:
        raise Conflict("several entities have this name; ask by id")
    found = await call.graph.read(
        scope,
        "history/transitions_of_entity",
        bookmarks=call.bookmarks,
        entity_id=owners[0],
        **_after(request.cursor, "history"),
        until=past_instant(request.as_of) if request.as_of is not None else _END_OF_TIME,
        page=request.limit + 1,
    )
    return _page("transitions", found[0]["transitions"], request, "history")


async def list_changes(call: Call, request: ListChanges) -> str:
    """A page of the feed of changes in the visible scopes, and the cursor for the next look.

    What is written now shows within a second, or when the oldest running write has ended. A scope that is granted later
    begins for a reader where its cursor stands; what it held before is in read_graph.
    """
    scope = call.principal.read_scope(request.scopes).narrowed()
    after = _after(request.since, "changes")
    settled = await call.graph.read(None, "history/settled_until", bookmarks=call.bookmarks)
    until = settled[0]["until"]
    if request.as_of is not None:
        until = min((until, past_instant(request.as_of, after=True)), key=datetime.fromisoformat)
    rows = await call.graph.read(
        scope,
        "history/changes",
        bookmarks=call.bookmarks,
        **after,
        until=until,
        page=request.limit + 1,
    )
    end_cursor = encode_cursor("changes", list(after.values()))
    return _page("changes", rows[0]["transitions"], request, "changes", end_cursor)


def _after(cursor: str | None, read: str) -> dict[str, Any]:
    """After which transition a page begins, as parameters. Raises InvalidRequest for a cursor of another read."""
    if cursor is None:
        return dict(_BEGINNING)
    match decode_cursor(cursor, read):
        case [str(at), int(revision), str(transition_id)]:
            with suppress(ValueError):
                if _TIME.fullmatch(at) and datetime.fromisoformat(at) and revision >= 0:
                    return {"after_at": at, "after_revision": revision, "after_id": transition_id}
    raise invalid_cursor()


def _page(
    name: str,
    transitions: list[Row],
    request: GetHistory | ListChanges,
    read: str,
    end_cursor: str | None = None,
) -> str:
    """The body of a page; `transitions` are one more than it holds where there is a next one."""
    records = [transition_record(row) for row in transitions]
    return deliver_list(
        name,
        records[: request.limit],
        Limit(request.budget.unit, request.budget.limit),
        cursor_after=lambda record: encode_cursor(read, [record["at"], record["revision"], record["id"]]),
        more=len(records) > request.limit,
        end_cursor=end_cursor,
    )


def transition_record(row: Row) -> dict[str, Any]:
    """A transition as it is shown: when, what to what, by whom, where from, and the content before and after."""
    provenance = {name: row[name] for name in _ORIGINS if row.get(name) is not None}
    if row.get("source_ref") is not None:
        provenance["source_ref"] = orjson.loads(row["source_ref"])
    return {
        "id": row["id"],
        "at": row["at"],
        "op": row["op"],
        "target": {"id": row["target_id"], "kind": row["target_kind"], "scope": row["scope"]},
        "revision": row["revision"],
        "principal": row.get("principal"),
        "request_id": row.get("request_id"),
        "provenance": provenance,
        "before": _content(row, "before_"),
        "after": _content(row, "after_"),
    }


def _content(row: Row, prefix: str) -> dict[str, Any] | None:
    content = {
        key.removeprefix(prefix): _value(key.removeprefix(prefix), row[key])
        for key in sorted(row)
        if key.startswith(prefix)
    }
    return content or None


def _value(name: str, value: Any) -> Any:
    if name in _JSON_FIELDS and isinstance(value, str):
        return orjson.loads(value)
    return iso(value.to_native()) if hasattr(value, "to_native") else value
