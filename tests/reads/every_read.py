"""Every read at once, without what is no part of history: for tests of the past."""

from typing import Any

from tests.harness.service_process import Caller

LARGE = {"unit": "chars", "limit": 200_000}
MASKED = frozenset({"last_seen_at", "used", "next_cursor"})
"""`last_seen_at` is no part of history, `used` is the size of a body that tells it, and cursors hold `totals.at`."""


def without_times_of_reading(value: Any) -> Any:
    """The same answer without what depends on when it was asked for."""
    if isinstance(value, dict):
        return {name: without_times_of_reading(part) for name, part in value.items() if name not in MASKED}
    if isinstance(value, list):
        return [without_times_of_reading(part) for part in value]
    return value


def answer_of(caller: Caller, operation: str, payload: dict[str, Any]) -> Any:
    """The answer of one read, or the status of its refusal."""
    response = caller.post(operation, {**payload, "budget": LARGE})
    if response.status_code == 200:
        return without_times_of_reading(response.json())
    assert response.status_code == 404, response.text
    return 404


def walked(caller: Caller, **options: Any) -> list[Any]:
    """The graph page by page, without its totals."""
    pages: list[Any] = []
    cursor = None
    while True:
        page = caller.call("read_graph", limit=2, **({"cursor": cursor} if cursor else {}), **options)
        cursor = page["next_cursor"]
        page.pop("totals")
        pages.append(without_times_of_reading(page))
        if cursor is None:
            return pages


def totals(caller: Caller, **options: Any) -> dict[str, int]:
    """What is counted in the graph; asked again where counting takes too long on a busy machine."""
    for _ in range(10):
        found: dict[str, int] | None = caller.call("read_graph", limit=1, **options)["totals"]
        if found is not None:
            return {name: found[name] for name in ("entities", "observations", "relations")}
    raise AssertionError("read_graph does not get to counting")


def every_read(
    caller: Caller, names: list[str], phrases: list[str], project: str, tasks: list[str], **options: Any
) -> dict[str, Any]:
    """What each read answers about these things, by what was asked."""
    told: dict[str, Any] = {
        "graph": walked(caller, **options),
        "totals": totals(caller, **options),
        "open": answer_of(caller, "open_nodes", {"names": names, "neighbours": True, **options}),
        "claims": answer_of(caller, "list_claims", options),
        "facts": answer_of(caller, "list_facts", options),
    }
    for phrase in phrases:
        told[f"search {phrase}"] = answer_of(
            caller, "search_nodes", {"query": phrase, "pointers": True, **options}
        )
        told[f"project {phrase}"] = answer_of(
            caller,
            "search_by_project",
            {"query": phrase, "project": project, "include_shared": True, **options},
        )
        told[f"title {phrase}"] = answer_of(caller, "find_by_title", {"phrase": phrase, **options})
    for name in names:
        told[f"tasks of {name}"] = answer_of(caller, "get_entity_tasks", {"entity": name, **options})
    for task in tasks:
        for removed in (False, True):
            told[f"links of {task}, removed ones {removed}"] = answer_of(
                caller, "get_task_links", {"task": task, "include_removed": removed, **options}
            )
    return told
