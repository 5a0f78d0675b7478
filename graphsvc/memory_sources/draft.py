"""A draft of claims from candidates (spec 06, 08): for a person to read, edit and send to propose_claims.

It is text and nothing more. Only safe candidates that are not discarded are in it, and nothing in it is approved.
"""

from typing import Any, Final

from graphsvc.domain.source_ref import SCHEMA_V1
from graphsvc.memory_sources.candidates import Candidate, Ingestion
from graphsvc.memory_sources.supports import MemoryRelation, linkable

PREDICATE: Final = "is noted as"
EXCERPT_CHARS_MAX: Final = 200


def draft_claims(
    ingestion: Ingestion, relations: tuple[MemoryRelation, ...], repo: str, scope: str | None
) -> dict[str, Any]:
    """The body of a propose_claims request. `repo` is the alias of the repository in source_refs.

    The subject is the entity that the candidate supports, if there is exactly one; else the candidate's id, which
    the person replaces.
    """
    targets: dict[str, set[str]] = {}
    for relation in relations:
        targets.setdefault(relation.candidate_id, set()).add(relation.target)
    claims = [
        _claim(candidate, targets.get(candidate.candidate_id, set()), repo)
        for candidate in linkable(ingestion)
    ]
    return {**({"scope": scope} if scope else {}), "claims": claims}


def _claim(candidate: Candidate, targets: set[str], repo: str) -> dict[str, Any]:
    subject: Any = {"id": next(iter(targets))} if len(targets) == 1 else candidate.candidate_id
    source_ref: dict[str, Any] = {
        "schema": SCHEMA_V1,
        "resolver": "fs_worktree",
        "ref": {"repo": repo, "path": candidate.path},
        "hashes": {"content_sha256": candidate.content_sha256},
    }
    return {
        "subject": subject,
        "predicate": PREDICATE,
        "object": candidate.fact,
        "confidence": candidate.confidence,
        "evidence": [
            {
                "kind": "document",
                "ref": candidate.path,
                "source_ref": source_ref,
                "excerpt": candidate.fact[:EXCERPT_CHARS_MAX],
            }
        ],
    }
