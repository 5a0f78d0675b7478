"""Statements and their digests: what exactly a claim says, and what exactly a person approves (spec 08). Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from graphsvc.domain.names import content_key
from graphsvc.domain.times import iso


def evidence_json(evidence: Sequence[Mapping[str, Any]]) -> str:
    """Evidence in one spelling, as it is kept with the claim."""
    return orjson.dumps(list(evidence), option=orjson.OPT_SORT_KEYS).decode()


def claim_sha256(claim: Mapping[str, Any]) -> str:
    """The digest of a whole claim: scope, statement, confidence, evidence. `evidence` is its JSON."""
    object_id = claim.get("object_id")
    return content_key(
        "claim",
        claim["scope"],
        claim["subject_id"],
        claim["predicate"],
        "literal" if object_id is None else "entity",
        object_id or claim["object"],
        repr(float(claim["confidence"])),
        claim["evidence"],
    )


def govern_sha256(fact_id: str, action: str, other_id: str | None, effective_at: datetime | None) -> str:
    """The digest of one action on one fact."""
    return content_key("govern", fact_id, action, other_id or "", iso(effective_at) or "")


def policy_sha256(
    scope: str, *, sensitive: bool, multi_evidence: bool, sensitive_kinds: Sequence[str]
) -> str:
    """The digest of all that a policy says."""
    return content_key("policy", scope, str(sensitive), str(multi_evidence), *sorted(sensitive_kinds))
