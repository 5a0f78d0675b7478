"""memory-supports: which entity a candidate speaks of, by exact evidence only (spec 06). Pure but for the
lookup.

A value links when exactly one entity owns it: as its id or one of its external ids, as a declared alias, or
as the path of a document that one of its live observations cites. No case folding, no display names, no
nearness; two owners link nobody. A relation says that the words are the same, never that the fact is true.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from markdown_it import MarkdownIt

from graphsvc import limits
from graphsvc.memory_sources.candidates import Candidate, Ingestion
from graphsvc.memory_sources.files import MemorySourceError

EvidenceKind = Literal["id", "alias", "path"]
EVIDENCE_KINDS: Final[tuple[EvidenceKind, ...]] = ("id", "alias", "path")
"""In this order: of several ways in which one entity owns a value, the first is named."""
ANALYZER: Final = "memory-entities"
ANALYZER_VERSION: Final = "1"
NOTICE: Final = (
    "A relation means that the words are the same. It is no proof that a fact is true or approved."
)

_PIECE_END: Final = re.compile(r"[\s()\[\]{}<>（）［］｛｝「」『』【】《》〈〉]+")
_SENTENCE_PUNCTUATION: Final = ".,;:!?…。、，；：！？"


class _AsWritten(MarkdownIt):
    """Leaves link targets as they are written, since only that is exact."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        return url


_INLINE: Final = _AsWritten("commonmark")


class Owner(NamedTuple):
    """An entity that owns a value, and in which way."""

    entity_id: str
    kind: EvidenceKind


class OwnerLookup(Protocol):
    """Who owns exact values, among the live entities that the caller may see."""

    async def owners_of(self, values: Sequence[str]) -> Mapping[str, Collection[Owner]]:
        """All owners of each value; values without one may be left out."""


@dataclass(frozen=True, slots=True, order=True)
class MemoryRelation:
    """A candidate supports an entity because of `value`, found in the candidate's fact or front matter."""

    candidate_id: str
    target: str
    value: str
    kind: EvidenceKind
    raw_path: str
    fact_sha256: str

    def as_json(self) -> dict[str, object]:
        """The shape of reports and answers."""
        evidence = {
            "kind": self.kind,
            "value": self.value,
            "raw_path": self.raw_path,
            "fact_sha256": self.fact_sha256,
        }
        return {
            "kind": "memory-supports",
            "candidate_id": self.candidate_id,
            "target": self.target,
            "evidence": evidence,
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the memories the relations speak for."""

    status: Literal["complete", "partial", "not-analyzed"]
    reason: str | None = None

    def as_json(self) -> dict[str, object]:
        """The shape of reports and answers."""
        return {
            "analyzer": ANALYZER,
            "version": ANALYZER_VERSION,
            "scope": "memory",
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Support:
    """The relations of one run, and what they cover."""

    relations: tuple[MemoryRelation, ...]
    coverage: Coverage


async def find_support(ingestion: Ingestion, lookup: OwnerLookup) -> Support:
    """Link the candidates of a run. Raises MemorySourceError for more relations than MEMORY_RELATIONS_MAX."""
    values = sorted({value for candidate in linkable(ingestion) for value in values_of(candidate)})
    relations = relate(linkable(ingestion), await lookup.owners_of(values))
    if ingestion.unread:
        return Support(relations, Coverage("partial", f"{len(ingestion.unread)} files were not read"))
    return Support(relations, Coverage("complete"))


def not_analyzed(reason: str) -> Support:
    """What there is to say where the memories or the graph are not at hand."""
    return Support((), Coverage("not-analyzed", reason))


def linkable(ingestion: Ingestion) -> list[Candidate]:
    """The candidates that may link: safe, and not discarded."""
    return [candidate for candidate in ingestion.candidates if candidate.status == "candidate"]


def values_of(candidate: Candidate) -> set[str]:
    """What is looked up for a candidate: references, the fact, its code spans and link targets, its pieces."""
    values = {*candidate.references, candidate.fact}
    for token in _INLINE.parseInline(candidate.fact)[0].children or []:
        if token.type == "code_inline":
            values.add(token.content)
        elif token.type in {"link_open", "image"}:
            values.add(str(token.attrs.get("href") or token.attrs.get("src") or ""))
    for piece in _PIECE_END.split(candidate.fact):
        values |= {piece, piece.rstrip(_SENTENCE_PUNCTUATION)}
    return values - {""}


def relate(
    candidates: Iterable[Candidate], owners: Mapping[str, Collection[Owner]]
) -> tuple[MemoryRelation, ...]:
    """The relations of the candidates, sorted, each once. Raises MemorySourceError when there are too many."""
    relations: set[MemoryRelation] = set()
    for candidate in candidates:
        fact_sha256 = candidate.fact_sha256
        for value in values_of(candidate):
            owner = sole_owner(owners.get(value, ()))
            if owner is not None:
                relations.add(
                    MemoryRelation(
                        candidate_id=candidate.candidate_id,
                        target=owner.entity_id,
                        value=value,
                        kind=owner.kind,
                        raw_path=candidate.path,
                        fact_sha256=fact_sha256,
                    )
                )
        if len(relations) > limits.MEMORY_RELATIONS_MAX:
            raise MemorySourceError(f"more than {limits.MEMORY_RELATIONS_MAX} memory relations")
    return tuple(sorted(relations))


def sole_owner(owners: Collection[Owner]) -> Owner | None:
    """The one entity that owns a value; None when there is none, or more than one."""
    if len({owner.entity_id for owner in owners}) != 1:
        return None
    return min(owners, key=lambda owner: EVIDENCE_KINDS.index(owner.kind))
