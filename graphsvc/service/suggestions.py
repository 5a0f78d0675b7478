"""suggest_task_links, and the score of one pair (spec 07). Suggesting never links."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import orjson

from graphsvc import limits
from graphsvc.domain.budget import Limit
from graphsvc.domain.listing import deliver_list
from graphsvc.domain.pointers import windows_of
from graphsvc.domain.suggestion import SCORER_VERSION, TaskFacts, find_mentions, is_founded, score_candidates
from graphsvc.domain.words import query_terms
from graphsvc.errors import NotFound
from graphsvc.graph import Row
from graphsvc.lucene import scope_clause, token_clause
from graphsvc.models.tasks import SuggestTaskLinks
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.tasks import resolve_work_items

_DF_MAX: Final = 1_000
Read = Callable[..., Awaitable[list[Row]]]


async def suggest_task_links(call: Call, request: SuggestTaskLinks) -> str:
    """The body of the answer: what the task may be about, without what is linked or was rejected.

    Raises NotFound for a task that is not there, live and visible.
    """
    scope = call.principal.read_scope()

    async def read(query: str, **params: object) -> list[Row]:
        return await call.graph.read(scope, query, bookmarks=call.bookmarks, **params)

    owners = (await resolve_work_items(read, "task", [request.task]))[0]
    if len(owners) != 1:
        raise NotFound
    candidates = await score_pairs(read, scope, owners[0]["id"])
    found = [
        {**suggestion, "rank": rank}
        for rank, suggestion in enumerate(
            [s for s in candidates if not s.pop("taken") and is_founded(s)][: request.limit], start=1
        )
    ]
    return deliver_list(
        "suggestions",
        found,
        Limit(request.budget.unit, request.budget.limit),
        head={"scorer_version": SCORER_VERSION},
    )


async def score_pairs(
    read: Read, scope: Scope, task_id: str, also: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """All candidates of a task, and these entities whatever speaks for them, scored; `taken` marks linked pairs."""
    tasks = await read("task_link/task_text", task_id=task_id)
    if not tasks:
        raise NotFound
    task = tasks[0]
    text = f"{task['title']}\n{task['body'] or ''}"
    windows, _ = windows_of(text, limits.SUGGESTION_MENTION_TOKENS_MAX)
    keys = sorted({window.key for window in windows})
    mentioned = await read("task_link/mentions", keys=keys, owners_max=limits.POINTER_OWNERS_MAX)
    mentions = find_mentions(windows, {row["key"]: row["owners"] for row in mentioned})
    terms = query_terms(text, limits.SEARCH_TERMS_MAX)
    matched = await read(
        "task_link/text_candidates",
        terms=[{"clause": token_clause("terms", term.term), "prior": term.prior} for term in terms],
        scope_clause=f"{scope_clause(scope)} "
        + " ".join(f"-{token_clause('owner_id', kind)}" for kind in ("task", "note")),
        df_max=_DF_MAX,
        pool_max=limits.SUGGESTION_POOL_MAX,
    )
    text_scores = {row["id"]: row["score"] for row in matched}
    rows = await read(
        "task_link/describe_candidates",
        task_id=task["id"],
        ids=sorted({*mentions, *text_scores, *also}),
        linked=task["linked"],
        session_id=task["session_id"],
        neighbours_max=limits.SUGGESTION_NEIGHBOURS_MAX,
    )
    candidates = rows[0]["candidates"]
    taken = {candidate["entity"]["id"] for candidate in candidates if candidate["taken"]}
    scored = score_candidates(TaskFacts(task["scope"], task["created_at"], mentions, text_scores), candidates)
    return [{**suggestion, "taken": suggestion["entity"]["id"] in taken} for suggestion in scored]


def signals_json(signals: dict[str, Any]) -> str:
    """Signals as they are kept on a link."""
    return orjson.dumps(signals, option=orjson.OPT_SORT_KEYS).decode()
