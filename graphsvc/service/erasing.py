"""Erasure for legal reasons: content is replaced by a tombstone, and the log says that it was (spec 01, 08).

Everything else in this service only retires. What is erased is gone from the graph, from its history and from reads of
the past; ids, times, who wrote it and that it was erased stay, and the log's chain still holds, as it binds content by
salted digests only. Backups and exports made before still hold it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from graphsvc.errors import GraphsvcError
from graphsvc.graph import Graph, Transaction
from graphsvc.ids import new_id
from graphsvc.service.sealing import seal_all
from graphsvc.settings import Settings

_QUERIES: Final = {
    "observation": "erasure/observations",
    "relation": "erasure/relations",
    "entity": "erasure/entities",
    "alias": "erasure/aliases",
    "work_item": "erasure/work_items",
    "task_link": "erasure/task_links",
    "document": "erasure/documents",
    "candidate": "erasure/candidates",
    "support": "erasure/supports",
}
"""In this order: names are written after the entity that they name."""


class NothingToErase(GraphsvcError):
    """There is no entity, observation, relation, task, note, document or candidate of this id."""

    slug = "nothing_to_erase"


@dataclass(slots=True)
class ErasureReport:
    """What was erased (or would be), by kind; and what is about it and stays, for a person to look at."""

    erased: dict[str, int] = field(default_factory=dict)
    log_entries: int = 0
    mentions: list[dict[str, str]] = field(default_factory=list)
    dry_run: bool = False


async def erase(
    graph: Graph,
    settings: Settings,
    ids: Sequence[str],
    *,
    reason: str,
    principal: str,
    dry_run: bool = False,
) -> ErasureReport:
    """Erase things, an entity with all that hangs on it and what was merged into it; all of it in one transaction.

    Raises NothingToErase naming the ids; nothing is erased then.
    """
    wanted = list(dict.fromkeys(ids))
    closure = await graph.read(None, "erasure/closure", ids=wanted)
    unknown = sorted(set(wanted) - {row["id"] for row in closure})
    if unknown:
        raise NothingToErase(f"nothing that can be erased has the id {', '.join(unknown)}")
    mentions = await graph.read(None, "erasure/mentions", ids=[row["id"] for row in closure])
    report = ErasureReport(dict(Counter(row["kind"] for row in closure)), 0, mentions, dry_run)
    if dry_run:
        return report
    # Sealed before, so that the chain has the digest of what goes.
    await seal_all(graph, settings)
    context: dict[str, Any] = {
        "principal": principal,
        "request_id": new_id("req"),
        "reason": reason,
        "unsealed": True,
    }
    rows = [{**row, "transition_id": new_id("trn")} for row in closure]

    async def work(tx: Transaction) -> int:
        # Looked at again inside: what was added meanwhile to an entity goes with it.
        now = await tx.run("erasure/closure", ids=wanted)
        if {row["id"] for row in now} != {row["id"] for row in closure}:
            raise GraphsvcError("something was written about it meanwhile; run the command again")
        for kind, query in _QUERIES.items():
            of_kind = [row for row in rows if row["kind"] == kind]
            if of_kind:
                await tx.run(query, rows=of_kind, context=context)
        answered = await tx.run("erasure/log", ids=[row["id"] for row in closure])
        return int(answered[0]["entries"])

    report.log_entries, _ = await graph.transaction(None, work, name="erase")
    await seal_all(graph, settings)
    return report
