"""Lists under a budget: whole records in order, the rest left to the next page (spec 03). Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.framing import json_body, json_text

_LONGEST_CURSOR: Final = "x" * 160


def deliver_list(
    name: str,
    records: Sequence[dict[str, Any]],
    limit: Limit,
    *,
    cursor_after: Callable[[dict[str, Any]], str] | None = None,
    more: bool = False,
    head: Mapping[str, Any] | None = None,
    end_cursor: str | None = None,
) -> str:
    """The body of a list answer: `head`, the records under `name`, `next_cursor` (for lists that page), accounting.

    `more` says that there are further records behind these. Without `cursor_after` what does not fit is dropped and
    counted. `end_cursor` is the next cursor of a list that is at its end: null, but for feeds, which have no end; those
    also say whether there is `more` now. Raises BudgetTooSmall when not even an empty list fits.
    """
    shown: list[dict[str, Any]] = []
    answer: dict[str, Any] = {**(head or {}), name: shown}
    if cursor_after is not None:
        answer["next_cursor"] = _LONGEST_CURSOR
        if end_cursor is not None:
            answer["more"] = False
    accounting = answer["accounting"] = {
        "budget": {"unit": limit.unit, "limit": limit.limit, "used": limit.limit},
        name: {"considered": len(records), "returned": len(records)},
        "truncated": False,
        "status": "truncated",
    }
    left = limit.room - limit.size(json_body(answer))
    for record in records:
        left -= limit.size(json_text(record)) + 1
        if left < 0:
            break
        shown.append(record)
    cut = len(shown) < len(records)
    if cursor_after is not None:
        is_feed = end_cursor is not None
        answer["next_cursor"] = cursor_after(shown[-1]) if shown and (cut or more or is_feed) else end_cursor
        if is_feed:
            answer["more"] = cut or more
    accounting[name]["returned"] = len(shown)
    accounting["truncated"] = cut
    accounting["status"] = "truncated" if cut else "ok" if records else "no_match"
    body = settle(limit, accounting, lambda: json_body(answer))
    if limit.used(body) > limit.limit or (cut and not shown and cursor_after is not None):
        # A page that pages on must hold at least one record, or a reader would turn it for ever.
        least = limit.used(body)
        if cut and not shown:
            least = limit.used(body + json_text(records[0]) + _LONGEST_CURSOR) + 1
        raise too_small(limit, least)
    return body
