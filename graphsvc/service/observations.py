"""add_observations, delete_observations (spec 01, 02)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphsvc.domain.names import content_key, observation_fold
from graphsvc.domain.ranking import asks
from graphsvc.domain.safety import secret_warning
from graphsvc.domain.source_ref import SourceRef
from graphsvc.domain.times import iso
from graphsvc.domain.words import index_terms
from graphsvc.ids import is_id
from graphsvc.models.common import IdReference, InvalidItem
from graphsvc.models.writes import AddObservations, DeleteObservations, ObservationInput, ObservationsInput
from graphsvc.service.call import Call
from graphsvc.service.retiring import run_retire
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, run_write

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ContentRow:
    """One text for an entity; `place` is (item, position) in the request."""

    place: Place
    entity_id: str
    content: str | ObservationInput | InvalidItem
    source_ref: SourceRef | None = None


def text_sha256(text: str) -> str:
    """What makes two texts of one entity and scope the same."""
    return content_key(observation_fold(text))


async def add_observation_rows(
    batch: WriteBatch, contents: Sequence[ContentRow]
) -> dict[Place, dict[str, Any]]:
    """Attach texts in the write scope; outcome by place: added, duplicate, revived, invalid."""
    outcomes: dict[Place, dict[str, Any]] = {}
    lead: dict[tuple[str, str], int] = {}
    rows: list[dict[str, Any]] = []
    row_of: list[tuple[ContentRow, int, bool]] = []
    for item in contents:
        if isinstance(item.content, InvalidItem):
            outcomes[item.place] = invalid_outcome(item.place[1], item.content)
            continue
        content = (
            item.content
            if isinstance(item.content, ObservationInput)
            else ObservationInput(text=item.content)
        )
        key = (item.entity_id, text_sha256(content.text))
        is_lead = key not in lead
        if is_lead:
            lead[key] = len(rows)
            source_ref = content.source_ref or item.source_ref
            rows.append(
                {
                    "index": len(rows),
                    "entity_id": item.entity_id,
                    "id": batch.ids.get("obs", *item.place),
                    "transition_id": batch.ids.get("trn", "observation", *item.place),
                    "text_sha256": key[1],
                    "text": content.text,
                    "terms": " ".join(index_terms(content.text)),
                    "observed_at": iso(content.observed_at),
                    "source_ref": source_ref.canonical if source_ref else None,
                    "source_path": source_ref.path if source_ref else None,
                    "asks": asks(content.text) or None,
                    "position": None,
                }
            )
        row_of.append((item, lead[key], is_lead))
    session_id = batch.context.get("session_id")
    if session_id is not None and rows:
        first = await batch.tx.run("observation/reserve_positions", session_id=session_id, count=len(rows))
        for row in rows:
            row["position"] = first[0]["first"] + row["index"]
    answered = await batch.run("observation/add_observations", sorted(rows, key=lambda row: row["entity_id"]))
    for item, index, is_lead in row_of:
        row = answered[index]
        changed = row["changed"] if is_lead else None
        outcomes[item.place] = {
            "index": item.place[1],
            "outcome": changed or "duplicate",
            "id": row["id"],
            **secret_warning(text=rows[index]["text"]),
        }
    return dict(sorted(outcomes.items()))


async def add_observations(call: Call, request: AddObservations) -> dict[str, Any]:
    """Add facts. Per item: ok, skipped, ambiguous, invalid; per text: added, duplicate, revived, invalid."""

    async def work(batch: WriteBatch) -> Results:
        results: dict[int, dict[str, Any]] = {}
        valid = [(i, item) for i, item in enumerate(request.items) if isinstance(item, ObservationsInput)]
        owners = await batch.resolve([item.entity for _, item in valid])
        rows: list[ContentRow] = []
        for (i, item), found in zip(valid, owners, strict=True):
            if len(found) != 1:
                results[i] = {"index": i, "outcome": "ambiguous" if found else "skipped"}
                continue
            results[i] = {"index": i, "outcome": "ok", "entity_id": found[0]["id"], "observations": []}
            rows += [ContentRow((i, j), found[0]["id"], content) for j, content in enumerate(item.contents)]
        for (i, _), outcome in (await add_observation_rows(batch, rows)).items():
            results[i]["observations"].append(outcome)
        for i, parsed in enumerate(request.items):
            if isinstance(parsed, InvalidItem):
                results[i] = invalid_outcome(i, parsed)
        return [results[i] for i in sorted(results)]

    return await run_write(call, "add_observations", request, "items", work)


async def delete_observations(call: Call, request: DeleteObservations) -> dict[str, Any]:
    """Retire facts by entity and text or id; what is not there, not live or not writable contributes zero."""

    async def work(batch: WriteBatch) -> Results:
        items = [item for item in request.items if not isinstance(item, InvalidItem)]
        owners = await batch.resolve([item.entity for item in items])
        wanted: set[tuple[str, str, str]] = set()
        for item, found in zip(items, owners, strict=True):
            if len(found) != 1:
                continue
            for content in item.contents:
                if isinstance(content, IdReference):
                    wanted.add((found[0]["id"], content.id, ""))
                elif not isinstance(content, InvalidItem):
                    as_id = content if is_id(content, "obs") else ""
                    wanted.add((found[0]["id"], as_id, text_sha256(content)))
        rows = [
            {
                "index": i,
                "entity_id": entity_id,
                "id": observation_id or None,
                "text_sha256": digest or None,
                "transition_id": batch.ids.get("trn", "unobserve", entity_id, observation_id, digest),
            }
            for i, (entity_id, observation_id, digest) in enumerate(sorted(wanted))
        ]
        retired = await batch.run_rows("observation/retire_observations", rows)
        distinct = sorted({row["id"] for row in retired})
        return [{"index": i, "outcome": "retired", "id": row_id} for i, row_id in enumerate(distinct)]

    return await run_retire(call, "delete_observations", request, "items", request.items, work)
