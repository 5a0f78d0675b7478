"""What all writes share: one transaction a request, provenance, idempotency, outcomes in order (spec 02).

A write is a function `work(batch)` over a WriteBatch. It may run more than once (deadlocks, lost connections), so ids
are made beforehand, by `Ids`, and the queries tell what happened from them.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from graphsvc import limits
from graphsvc.domain.names import content_key, name_key
from graphsvc.errors import BatchRejected, GraphsvcError, IdempotencyMismatch, IdempotencyRunning, Problem
from graphsvc.graph import Row, Transaction
from graphsvc.ids import Kind, is_id, new_id
from graphsvc.models.common import (
    ExternalIdReference,
    IdReference,
    InvalidItem,
    Provenance,
    WriteRequest,
)
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.telemetry import metrics

ReferenceValue = IdReference | ExternalIdReference | str
Results = list[dict[str, Any]]


class Ids:
    """Ids by place in the batch, the same however often the transaction is tried."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], str] = {}

    def get(self, kind: Kind, *place: object) -> str:
        """The id of this kind for this place."""
        key = (kind, *place)
        if key not in self._made:
            self._made[key] = new_id(kind)
        return self._made[key]

    def last_places(self, kind: Kind, *place: object) -> set[str]:
        """The ends of all places with this beginning, of earlier attempts too."""
        start = (kind, *place)
        return {str(made[-1]) for made in self._made if made[:-1] == start}


@dataclass(slots=True)
class WriteBatch:
    """One attempt of one write request."""

    call: Call
    scope: Scope
    tx: Transaction
    ids: Ids
    context: dict[str, Any]
    transition_ids: list[str] = field(default_factory=list)

    async def run(self, query: str, rows: Sequence[Mapping[str, Any]], **params: object) -> dict[int, Row]:
        """Run a query over rows (none: nothing happens) and return what it answered by row index."""
        return {row["index"]: row for row in await self.run_rows(query, rows, **params)}

    async def run_rows(self, query: str, rows: Sequence[Mapping[str, Any]], **params: object) -> list[Row]:
        """As `run`, for queries that may answer several rows for one."""
        if not rows:
            return []
        answered = await self.tx.run(query, rows=list(rows), context=self.context, **params)
        self.transition_ids += [row["transition_id"] for row in answered if row.get("transition_id")]
        return answered

    async def resolve(self, references: Sequence[ReferenceValue]) -> list[Sequence[Row]]:
        """The owners of each reference: none is missing, one is found, two stand for several (spec 01)."""
        return await resolve_references(self.tx.run, references)


def reference_row(index: int, reference: ReferenceValue) -> Row:
    """A reference as the resolving query takes it."""
    if isinstance(reference, IdReference):
        return {"index": index, "id": reference.id, "external_id": None, "key": None}
    if isinstance(reference, ExternalIdReference):
        return {"index": index, "id": None, "external_id": reference.external_id, "key": None}
    as_id = reference if is_id(reference, "ent") else None
    return {"index": index, "id": as_id, "external_id": None, "key": name_key(reference)}


async def resolve_references(
    run: Callable[..., Awaitable[list[Row]]], references: Sequence[ReferenceValue]
) -> list[Sequence[Row]]:
    """Owners by position, each with id, scope, name and kind. `run` runs a query of the catalogue for a scope."""
    distinct: dict[tuple[str | None, str | None, str | None], int] = {}
    places: list[int] = []
    rows: list[Row] = []
    for reference in references:
        row = reference_row(len(rows), reference)
        key = (row["id"], row["external_id"], row["key"])
        if key not in distinct:
            distinct[key] = len(rows)
            rows.append(row)
        places.append(distinct[key])
    if not rows:
        return []
    answered = await run("entity/resolve_references", rows=rows)
    owners: dict[int, Sequence[Row]] = {row["index"]: row["owners"] for row in answered}
    # The id of an entity that was merged into another leads to that one. Texts find it by its aliases.
    lost = [row for row in rows if row["index"] not in owners and (row["id"] or row["external_id"])]
    if lost:
        owners |= {row["index"]: row["owners"] for row in await run("entity/survivors", rows=lost)}
    return [owners.get(place, ()) for place in places]


def provenance_context(call: Call, provenance: Provenance | None) -> dict[str, Any]:
    """What every transition of this request says about where it comes from."""
    given = provenance.model_dump(exclude={"source_ref"}) if provenance else {}
    source_ref = provenance.source_ref if provenance else None
    return {
        "principal": call.principal.name,
        "request_id": call.request_id,
        "load_id": call.load_id,
        "source_ref": source_ref.canonical if source_ref else None,
        **given,
        # Until the sealer has put the transition into its scope's chain (spec 08).
        "unsealed": True,
    }


_ORIGINS: Final = ("session_id", "tool", "chunk_ref", "source_ref", "decision_id")


async def record_origin(batch: WriteBatch) -> None:
    """Hang the transitions of a batch on the nodes they come from: session, tool, chunk, source, decision (spec 08)."""
    origin = {name: batch.context.get(name) for name in _ORIGINS}
    if batch.transition_ids and any(origin.values()):
        source_ref = origin["source_ref"]
        origin["source_ref_sha256"] = content_key(source_ref) if source_ref else None
        await batch.tx.run("provenance/record_origin", transition_ids=batch.transition_ids, origin=origin)


def invalid_outcome(index: int, item: InvalidItem) -> dict[str, Any]:
    """The outcome of an item that does not fit its model."""
    return {
        "index": index,
        "outcome": "invalid",
        "errors": [{"path": problem.path, "reason": problem.reason} for problem in item.problems],
    }


def _problems(field_name: str, results: Results) -> Iterable[Problem]:
    for result in results:
        path = f"$.{field_name}[{result['index']}]"
        if result["outcome"] == "invalid":
            for error in result["errors"]:
                yield Problem(path + error["path"].removeprefix("$"), error["reason"])
        elif result["outcome"] in {"ambiguous", "skipped", "conflict"}:
            yield Problem(path, result["outcome"])
        for part in ("observations", "aliases"):
            for inner in result.get(part, ()):
                if inner["outcome"] == "invalid":
                    for error in inner["errors"]:
                        inner_path = (
                            f"{path}.{'contents' if 'entity_id' in result else part}[{inner['index']}]"
                        )
                        yield Problem(inner_path + error["path"].removeprefix("$"), error["reason"])


async def run_write(
    call: Call,
    operation: str,
    request: WriteRequest,
    items_field: str,
    work: Callable[[WriteBatch], Awaitable[Results]],
    scope: Scope | None = None,
) -> dict[str, Any]:
    """Carry out a write request and answer `results`, `counts`, `request_id` and the raw bookmarks after it.

    It is carried out in the scope that the request names (or its principal's default), unless a `scope` is given.

    Raises what Principal.write_scope and Graph.transaction raise, BatchRejected for an atomic batch with problems,
    IdempotencyMismatch and IdempotencyRunning.
    """
    scope = scope or call.principal.write_scope(request.scope)
    ids = Ids()
    context = provenance_context(call, request.provenance)
    claim = await _claim(call, operation, scope) if call.idempotency_key else None
    if claim and claim.answer is not None:
        kept = await _still_visible(call, scope, orjson.loads(claim.answer))
        kept = _with_spelling(kept, getattr(request, items_field))
        return _answer(call, kept, []) | {"replayed": True}

    async def attempt(tx: Transaction) -> Results:
        batch = WriteBatch(call, scope, tx, ids, context)
        results = await work(batch)
        if request.atomic:
            problems = list(_problems(items_field, results))
            if problems:
                raise BatchRejected(problems=problems)
        await record_origin(batch)
        if claim:
            kept = orjson.dumps([_without_text(result) for result in results]).decode()
            await tx.run("housekeeping/finish_idempotency_key", key=claim.key, claim=claim.claim, answer=kept)
        return results

    try:
        results, bookmarks = await call.graph.transaction(scope, attempt, name=operation)
    except BaseException:
        if claim:
            await _release(call, claim)
        raise
    for outcome, count in _count(results).items():
        metrics.outcomes.labels(operation=operation, outcome=outcome).inc(count)
    return _answer(call, results, bookmarks)


def _answer(call: Call, results: Results, bookmarks: list[str]) -> dict[str, Any]:
    return {
        "results": results,
        "counts": _count(results),
        "request_id": call.request_id,
        "bookmarks": bookmarks,
    }


def _count(results: Results) -> dict[str, int]:
    return dict(sorted(Counter(result["outcome"] for result in results).items()))


def _without_text(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "name"}


async def _still_visible(call: Call, scope: Scope, kept: Results) -> Results:
    """Kept results under today's grants: what stands in a scope that is no longer visible is as if it was not found."""
    entity_of = [result.get("entity_id") or result.get("id") or "" for result in kept]
    ids = sorted({entity_id for entity_id in entity_of if is_id(entity_id, "ent")})
    if not ids:
        return kept
    rows = await call.graph.read(scope, "entity/visible_ids", bookmarks=call.bookmarks, ids=ids)
    gone = set(ids) - {row["id"] for row in rows}
    return [
        {"index": result["index"], "outcome": "skipped"} if entity_id in gone else result
        for result, entity_id in zip(kept, entity_of, strict=True)
    ]


def _with_spelling(kept: Results, items: Sequence[Any]) -> Results:
    """Kept results with the caller's own spelling, which the repeated request brings again."""
    restored = []
    for result in kept:
        name = getattr(items[result["index"]], "name", None)
        places = list(result.items())
        if isinstance(name, str):
            places.insert(3 if "id" in result else 2, ("name", name))
        restored.append(dict(places))
    return restored


@dataclass(frozen=True, slots=True)
class _Claim:
    key: str
    claim: str
    answer: str | None


async def _claim(call: Call, operation: str, scope: Scope) -> _Claim:
    """Claim the request's idempotency key, or find the first answer under it.

    The same body written to another scope (a token with another default) is another request.
    """
    key = content_key(call.principal.name, operation, call.idempotency_key or "")
    claim = new_id("req")

    async def attempt(tx: Transaction) -> list[Row]:
        return await tx.run(
            "housekeeping/claim_idempotency_key",
            key=key,
            claim=claim,
            body_sha256=content_key(call.body_sha256, scope.write or ""),
            claim_ttl_s=limits.IDEMPOTENCY_CLAIM_TTL_S,
            ttl_hours=limits.IDEMPOTENCY_KEY_TTL_HOURS,
        )

    rows, _ = await call.graph.transaction(None, attempt, name="claim_idempotency_key")
    state = rows[0]["state"]
    if state == "mismatch":
        raise IdempotencyMismatch
    if state == "running":
        raise IdempotencyRunning
    return _Claim(key, claim, rows[0]["answer"] if state == "done" else None)


async def _release(call: Call, claim: _Claim) -> None:
    async def attempt(tx: Transaction) -> None:
        await tx.run("housekeeping/release_idempotency_key", key=claim.key, claim=claim.claim)

    # Best effort: what the client must hear is why its request failed. A claim left behind ends by itself.
    with suppress(GraphsvcError):
        await call.graph.transaction(None, attempt, name="release_idempotency_key")
