"""From ranked hits to the body of a search answer: pointers, packing, accounting, size (spec 03, 04). Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.evidence import EntityHit, MatchSpans, Packed, pack
from graphsvc.domain.framing import block_body, json_body, json_text
from graphsvc.domain.pointers import PointerBlock, fit_pointers

_LARGEST: Final = limits.BUDGET_LIMIT_MAX


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, before packing. `pointers` is None when they were not asked for."""

    hits: Sequence[EntityHit]
    candidates: int
    pool_capped: bool
    graph_is_empty: bool
    pointers: PointerBlock | None = None
    degraded: Sequence[str] = field(default=())

    @property
    def observations(self) -> int:
        """How many observations matched."""
        return sum(len(hit.observations) + hit.unfetched for hit in self.hits)


def deliver_search(found: Found, limit: Limit, match_spans: MatchSpans, *, as_block: bool = False) -> str:
    """The body of a search answer, at most as large as the limit and saying its true size.

    Raises BudgetTooSmall when not even an empty answer fits, naming the least limit that would do.
    """
    empty_pointers = fit_pointers(found.pointers, 0) if found.pointers else None
    fixed = _fixed_size(found, limit, empty_pointers, as_block=as_block)
    if limit.room < fixed:
        _require_empty_fits(found, limit, empty_pointers, as_block=as_block)
    pointers = found.pointers
    if pointers is not None:
        pointers = fit_pointers(
            pointers, min(limits.POINTER_BLOCK_BYTES_MAX, limit.room // limits.POINTER_BUDGET_SHARE)
        )
        room = limit.room - _fixed_size(found, limit, pointers, as_block=as_block)
        # The first hit goes before the pointers: a larger limit, with room for one more pointer, must not lose it.
        while (
            pointers.items
            and not _first_fits(found, limit, room, match_spans, as_block=as_block)
            and _first_fits(found, limit, limit.room - fixed, match_spans, as_block=as_block)
        ):
            pointers = fit_pointers(pointers, len(json_text(pointers.block()).encode()) - 1)
            room = limit.room - _fixed_size(found, limit, pointers, as_block=as_block)
        fixed = limit.room - room
    packed = pack(found.hits, limit, limit.room - fixed, match_spans, as_block=as_block)
    accounting = _accounting(found, packed, pointers)
    return settle(limit, accounting, _writer(packed.records, pointers, accounting, as_block=as_block))


def _first_fits(found: Found, limit: Limit, room: int, match_spans: MatchSpans, *, as_block: bool) -> bool:
    return bool(pack(found.hits[:1], limit, room, match_spans, as_block=as_block).records)


def _writer(
    records: Sequence[dict[str, Any]],
    pointers: PointerBlock | None,
    accounting: dict[str, Any],
    *,
    as_block: bool,
) -> Callable[[], str]:
    if as_block:
        before: list[tuple[str, object]] = [("pointers", pointers.block())] if pointers else []
        middle: list[tuple[str, object]] = [(record["entity"]["id"], record) for record in records]
        return lambda: block_body([*before, *middle, ("accounting", accounting)])
    answer: dict[str, Any] = {"evidence": records}
    if pointers is not None:
        answer["pointers"] = pointers.block()
    answer["accounting"] = accounting
    return lambda: json_body(answer)


def _accounting(found: Found, packed: Packed, pointers: PointerBlock | None) -> dict[str, Any]:
    entities, observations = len(found.hits), found.observations
    dropped_entities = entities - len(packed.records) - packed.entities_duplicate
    dropped_observations = observations - packed.observations_returned - packed.observations_duplicate
    truncated = dropped_entities > 0 or dropped_observations > 0 or packed.windowed > 0
    status = "truncated" if truncated else "ok"
    if found.degraded:
        status = "degraded"
    elif found.graph_is_empty:
        status = "empty_graph"
    elif not entities:
        status = "no_match"
    accounting: dict[str, Any] = {
        "budget": {},
        "candidates": found.candidates,
        "entities": {"considered": entities, "returned": len(packed.records)},
        "observations": {"matched": observations, "returned": packed.observations_returned},
        "neighbours": {"considered": packed.neighbours_considered, "returned": packed.neighbours_returned},
        "pool_capped": found.pool_capped,
        "dropped": {
            "entities": {"budget": dropped_entities, "duplicate": packed.entities_duplicate},
            "observations": {"budget": dropped_observations, "duplicate": packed.observations_duplicate},
        },
        "windowed": packed.windowed,
        "truncated": truncated,
        "status": status,
        "degraded": list(found.degraded),
    }
    if pointers is not None:
        accounting["pointers"] = pointers.accounting()
    return accounting


def _fixed_size(found: Found, limit: Limit, pointers: PointerBlock | None, *, as_block: bool) -> int:
    """An upper bound of all that is not evidence, the same for every limit: each counter at its longest."""
    most = found.observations
    widest = {"considered": sum(len(hit.relations) for hit in found.hits), "returned": most}
    accounting = _accounting(found, Packed([]), pointers)
    accounting |= {
        "budget": {"unit": limit.unit, "limit": _LARGEST, "used": _LARGEST},
        "entities": {"considered": len(found.hits), "returned": len(found.hits)},
        "observations": {"matched": most, "returned": most},
        "neighbours": {**widest, "returned": widest["considered"]},
        "dropped": {
            "entities": {"budget": len(found.hits), "duplicate": len(found.hits)},
            "observations": {"budget": most, "duplicate": most},
        },
        "windowed": most,
        "truncated": False,
        "status": "empty_graph",
    }
    return limit.size(_writer([], pointers, accounting, as_block=as_block)())


def _require_empty_fits(found: Found, limit: Limit, pointers: PointerBlock | None, *, as_block: bool) -> None:
    def empty_with(value: int) -> str:
        at = Limit(limit.unit, value)
        accounting = _accounting(found, Packed([]), pointers)
        return settle(at, accounting, _writer([], pointers, accounting, as_block=as_block))

    if limit.used(empty_with(limit.limit)) <= limit.limit:
        return
    least = limit.used(empty_with(limit.limit))
    while limit.used(empty_with(least)) > least:
        least = limit.used(empty_with(least))
    raise too_small(limit, least)
