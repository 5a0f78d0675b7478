"""Operations on claims and facts (spec 08): a part of the table in `operations/__init__.py`."""

from typing import Final

from graphsvc.models import claims, provenance, tasks, writes
from graphsvc.operations.operation import Operation
from graphsvc.service import claims as claims_service
from graphsvc.service import governance
from graphsvc.service import provenance as provenance_service

CLAIM_OPERATIONS: Final = (
    Operation(
        "propose_claims",
        "claims",
        "write",
        claims.ProposeClaims,
        writes.WriteAnswer,
        claims_service.propose_claims,
        example={
            "claims": [
                {
                    "subject": "Acme Print",
                    "predicate": "supplies",
                    "object": "Paul Pack",
                    "scope": "project:atlas",
                    "confidence": 0.8,
                    "evidence": [{"kind": "observation", "ref": "obs_01890a5d"}],
                }
            ]
        },
    ),
    Operation(
        "extract_claims",
        "claims",
        "write",
        claims.ExtractClaims,
        writes.WriteAnswer,
        claims_service.extract_claims,
        example={"text": "Acme Print supplies Paul Pack.", "scope": "project:atlas"},
    ),
    Operation(
        "list_claims",
        "claims",
        "read",
        claims.ListClaims,
        claims.ClaimsAnswer,
        claims_service.list_claims,
        get=True,
        example={"status": "candidate"},
    ),
    Operation(
        "list_facts",
        "claims",
        "read",
        claims.ListFacts,
        claims.FactsAnswer,
        claims_service.list_facts,
        get=True,
        example={"subject": "Acme Print"},
    ),
    Operation(
        "reject_claim",
        "claims",
        "govern",
        claims.RejectClaim,
        tasks.OutcomeAnswer,
        governance.reject_claim,
        example={"claim": "clm_01890a5d", "reason": "hearsay"},
    ),
    Operation(
        "promote_candidate",
        "claims",
        "govern",
        claims.PromoteCandidate,
        claims.PromotedAnswer,
        governance.promote_candidate,
        example={"claim": "clm_01890a5d", "mode": "human_confirmed"},
    ),
    Operation(
        "govern_fact",
        "claims",
        "govern",
        claims.GovernFact,
        claims.DecisionAnswer,
        governance.govern_fact,
        example={"fact": "fact_01890a5d", "action": "invalidate", "effective_at": "2026-12-01T00:00:00Z"},
    ),
    Operation(
        "set_policy",
        "claims",
        "admin",
        claims.SetPolicy,
        claims.PolicyAnswer,
        governance.set_policy,
        example={"scope": "project:atlas", "multi_evidence": True},
    ),
    Operation(
        "approve",
        "claims",
        "approve",
        claims.Approve,
        claims.ApprovalAnswer,
        governance.approve,
        example={"claim": "clm_01890a5d", "statement_sha256": "0" * 64},
    ),
    Operation(
        "get_provenance",
        "claims",
        "read",
        provenance.GetProvenance,
        provenance.ChainAnswer,
        provenance_service.get_provenance,
        get=True,
        example={"id": "fact_01890a5d"},
    ),
    Operation(
        "retire_by_provenance",
        "claims",
        "govern",
        provenance.RetireByProvenance,
        provenance.UndoAnswer,
        provenance_service.retire_by_provenance,
        example={"session_id": "run-17", "dry_run": True},
    ),
    Operation(
        "audit_memory",
        "claims",
        "read",
        provenance.AuditMemory,
        provenance.AuditAnswer,
        provenance_service.audit_memory,
        get=True,
    ),
)
