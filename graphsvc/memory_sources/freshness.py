"""Whether old memory-supports relations still hold (spec 06). Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from graphsvc.memory_sources.candidates import Candidate, Ingestion
from graphsvc.memory_sources.supports import MemoryRelation, Owner, sole_owner, values_of

StaleReason = Literal["path_gone", "not_eligible", "fact_changed", "value_gone", "owner_changed"]


@dataclass(frozen=True, slots=True)
class StaleRelation:
    """A relation that does not hold any more, and the first reason why."""

    relation: MemoryRelation
    reason: StaleReason

    def as_json(self) -> dict[str, object]:
        """The shape of reports."""
        return {"reason": self.reason, **self.relation.as_json()}


def find_stale(
    stored: Iterable[MemoryRelation], ingestion: Ingestion, owners: Mapping[str, Collection[Owner]] | None
) -> list[StaleRelation]:
    """The stored relations that differ from what the files and the graph say now, sorted.

    `owners` are the owners of the stored values; None when the graph is not at hand, and then they are not looked at.
    """
    by_path = {candidate.path: candidate for candidate in ingestion.candidates}
    stale = []
    for relation in sorted(stored):
        reason = _reason(relation, by_path.get(relation.raw_path), owners)
        if reason is not None:
            stale.append(StaleRelation(relation, reason))
    return stale


def _reason(
    relation: MemoryRelation, candidate: Candidate | None, owners: Mapping[str, Collection[Owner]] | None
) -> StaleReason | None:
    if candidate is None:
        return "path_gone"
    if candidate.status != "candidate":
        return "not_eligible"
    if candidate.fact_sha256 != relation.fact_sha256:
        return "fact_changed"
    if relation.value not in values_of(candidate):
        return "value_gone"
    if owners is not None:
        owner = sole_owner(owners.get(relation.value, ()))
        if owner is None or owner.entity_id != relation.target:
            return "owner_changed"
    return None
