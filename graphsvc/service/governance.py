"""Governance: approve, promote, reject, govern, set policy (spec 08).

Nothing becomes a fact, and no fact changes, without a decision that says who, why and under which policy. Where a scope
or a kind is sensitive, a decision also needs an approval: made by a person for exactly this statement, used once.
"""

from datetime import UTC, datetime
from typing import Any, Final

from graphsvc import limits
from graphsvc.domain.names import name_key
from graphsvc.domain.statements import claim_sha256, govern_sha256, policy_sha256
from graphsvc.domain.words import index_terms
from graphsvc.errors import (
    ApprovalRequired,
    Conflict,
    EvidenceRequired,
    Forbidden,
    InvalidRequest,
    NotFound,
    PolicyRefuses,
    Problem,
    ScopeNotFound,
)
from graphsvc.graph import Row
from graphsvc.models.claims import Approve, GovernFact, PolicyInput, PromoteCandidate, RejectClaim, SetPolicy
from graphsvc.service.call import Call
from graphsvc.service.single import run_single
from graphsvc.service.writing import WriteBatch

AUTHORITY: Final = {"multi_evidence": 1, "imported": 2, "human_confirmed": 3}
"""A fact of lower authority supersedes one of higher only with an approval."""


async def promote_candidate(call: Call, request: PromoteCandidate) -> dict[str, Any]:
    """Make a fact of a claim. Raises NotFound, EvidenceRequired, ApprovalRequired, PolicyRefuses, Conflict."""
    if request.mode == "imported" and call.load_id is None:
        call.principal.require_everywhere("admin")
    if request.valid_from and request.valid_to and request.valid_to <= request.valid_from:
        raise InvalidRequest(problems=[Problem("$.valid_to", "must be after valid_from")])

    async def work(batch: WriteBatch) -> dict[str, Any]:
        fact_id, decision_id = batch.ids.get("fact", 0), batch.ids.get("dec", 0)
        promoted = {"outcome": "promoted", "fact": fact_id, "decision": decision_id}
        claim, locked = await _locked_claim(batch, request.claim)
        if claim["transition_id"] == batch.ids.get("trn", "claim"):
            return promoted  # carried out by an attempt whose answer was lost
        if claim["status"] != "candidate":
            raise Conflict(f"the claim is {claim['status']}")
        if claim["evidence"] == "[]":
            raise EvidenceRequired
        sha256 = claim_sha256(claim)
        if sha256 != claim["statement_sha256"]:
            raise Conflict("the claim is not what was proposed")
        approval_id = None
        if locked["sensitive"] or request.mode == "human_confirmed":
            if request.mode != "human_confirmed":
                raise ApprovalRequired("claims of this scope are promoted by human_confirmed only")
            approval_id = await _use_approval(batch, claim["scope"], claim["id"], "promote", sha256)
        elif request.mode == "multi_evidence":
            _require_multi_evidence(claim, locked)
        fact = {
            "id": fact_id,
            "claim_id": claim["id"],
            "mode": request.mode,
            "authority": AUTHORITY[request.mode],
            "decision_id": decision_id,
            "terms": " ".join(index_terms(claim["caption"])),
        }
        await batch.tx.run("claim/create_fact", row=fact, context=batch.context)
        content = {
            "status": "active",
            "valid_from": request.valid_from or datetime.now(UTC),
            "valid_to": request.valid_to,
        }
        await _change_facts(batch, "create", {fact_id: content})
        await _set_status(batch, claim["id"], "promoted")
        targets = [fact_id, claim["id"]]
        await _decide(batch, claim["scope"], targets, request.rationale, locked["policy"], approval_id,
                      action="promote", verdict="promoted", mode=request.mode, sha256=sha256)  # fmt: skip
        return promoted

    answer = await run_single(
        call, "promote_candidate", request, call.principal.acting_scope("govern", request.scope), work
    )
    answer.pop("outcome")
    return answer


async def _locked_claim(batch: WriteBatch, claim_id: str) -> tuple[Row, Row]:
    rows = await batch.tx.run("claim/lock_claim", id=claim_id)
    if not rows:
        raise NotFound
    return rows[0]["claim"], rows[0]


def _require_multi_evidence(claim: Row, locked: Row) -> None:
    if not (locked["policy"] or {}).get("multi_evidence"):
        raise PolicyRefuses("the policy of the scope does not allow multi_evidence")
    if len(locked["origins"]) < limits.INDEPENDENT_EVIDENCE_MIN:
        raise EvidenceRequired(
            f"multi_evidence needs {limits.INDEPENDENT_EVIDENCE_MIN} stored observations of different origin"
        )
    if claim["confidence"] < limits.MULTI_EVIDENCE_CONFIDENCE_MIN:
        raise EvidenceRequired(f"multi_evidence needs a confidence of {limits.MULTI_EVIDENCE_CONFIDENCE_MIN}")


async def _use_approval(batch: WriteBatch, scope: str, target_id: str, action: str, sha256: str) -> str:
    """Use up an approval of exactly this. Raises ApprovalRequired, naming the digest that a person would approve."""
    row = {
        "scope": scope,
        "target_id": target_id,
        "action": action,
        "statement_sha256": sha256,
        "decision_id": batch.ids.get("dec", 0),
        "transition_id": batch.ids.get("trn", "approval"),
    }
    used = await batch.tx.run("claim/use_approval", row=row, context=batch.context)
    if not used:
        raise ApprovalRequired(problems=[Problem("$", f"approve statement_sha256 {sha256} first")])
    batch.transition_ids.append(used[0]["transition_id"])
    return str(used[0]["id"])


async def _decide(
    batch: WriteBatch,
    scope: str,
    targets: list[str],
    rationale: str | None,
    policy: Row | None,
    approval_id: str | None = None,
    *,
    action: str,
    verdict: str,
    mode: str | None = None,
    sha256: str | None = None,
) -> None:
    row = {
        "id": batch.ids.get("dec", 0),
        "transition_id": batch.ids.get("trn", "decision"),
        "scope": scope,
        "target_id": targets[0],
        "targets": sorted(targets),
        "action": action,
        "verdict": verdict,
        "mode": mode,
        "statement_sha256": sha256,
        "rationale": rationale,
        "principal_kind": batch.call.principal.kind,
        "policy_version": policy["version"] if policy else 0,
        "approval_id": approval_id,
    }
    decided = await batch.tx.run("claim/decide", row=row, context=batch.context)
    batch.transition_ids.append(decided[0]["transition_id"])
    if approval_id:
        await batch.tx.run("claim/link_approval", decision_id=row["id"], approval_id=approval_id)


async def _set_status(batch: WriteBatch, claim_id: str, status: str) -> None:
    row = {"index": 0, "id": claim_id, "status": status, "transition_id": batch.ids.get("trn", "claim")}
    await batch.run("claim/set_claim_status", [row])


async def _change_facts(batch: WriteBatch, op: str, contents: dict[str, dict[str, Any]]) -> None:
    rows = [
        {
            "index": i,
            "id": fact_id,
            "op": op,
            "content": content,
            "transition_id": batch.ids.get("trn", "fact", fact_id),
        }
        for i, (fact_id, content) in enumerate(sorted(contents.items()))
    ]
    await batch.run("claim/change_facts", rows)


async def reject_claim(call: Call, request: RejectClaim) -> dict[str, Any]:
    """Reject a candidate. Raises NotFound, and Conflict for a claim that is decided already."""

    async def work(batch: WriteBatch) -> dict[str, Any]:
        claim, locked = await _locked_claim(batch, request.claim)
        if claim["transition_id"] != batch.ids.get("trn", "claim"):
            if claim["status"] != "candidate":
                raise Conflict(f"the claim is {claim['status']}")
            await _set_status(batch, claim["id"], "rejected")
            await _decide(
                batch,
                claim["scope"],
                [claim["id"]],
                request.reason,
                locked["policy"],
                action="reject",
                verdict="rejected",
            )
        return {"outcome": "rejected", "decision": batch.ids.get("dec", 0)}

    return await run_single(
        call, "reject_claim", request, call.principal.acting_scope("govern", request.scope), work
    )


async def govern_fact(call: Call, request: GovernFact) -> dict[str, Any]:
    """Supersede, contradict, invalidate or revalidate a fact. Raises NotFound, Conflict, ApprovalRequired."""

    async def work(batch: WriteBatch) -> dict[str, Any]:
        done = {"outcome": "decided", "decision": batch.ids.get("dec", 0)}
        wanted = sorted({request.fact, *([request.other] if request.other else [])})
        found = {row["fact"]["id"]: row for row in await batch.tx.run("claim/lock_facts", ids=wanted)}
        if set(wanted) != found.keys():
            raise NotFound
        locked = found[request.fact]
        fact = locked["fact"]
        other = found[request.other]["fact"] if request.other else None
        if fact["transition_id"] == batch.ids.get("trn", "fact", fact["id"]):
            return done
        contents = _governed(request, fact, other)
        outranked = request.action == "supersede" and other and other["authority"] < fact["authority"]
        approval_id = sha256 = None
        if any(row["sensitive"] for row in found.values()) or outranked:
            sha256 = govern_sha256(fact["id"], request.action, request.other, request.effective_at)
            approval_id = await _use_approval(batch, fact["scope"], fact["id"], request.action, sha256)
        await _change_facts(batch, request.action, contents)
        if other:
            edge = {"fact_id": fact["id"], "other_id": other["id"], "action": request.action}
            await batch.tx.run("claim/relate_facts", row=edge)
        if request.action == "supersede":
            await _set_status(batch, fact["claim_id"], "superseded")
        await _decide(batch, fact["scope"], [fact["id"], *(other_id for other_id in wanted if other_id != fact["id"])],
                      request.rationale, locked["policy"], approval_id,
                      action=request.action, verdict="carried out", sha256=sha256)  # fmt: skip
        return done

    answer = await run_single(
        call, "govern_fact", request, call.principal.acting_scope("govern", request.scope), work
    )
    answer.pop("outcome")
    return answer


def _governed(request: GovernFact, fact: Row, other: Row | None) -> dict[str, dict[str, Any]]:
    """What each fact's properties become. Raises Conflict where the action does not fit the fact's state."""
    now = datetime.now(UTC)
    if other and other["id"] == fact["id"]:
        raise InvalidRequest("a fact cannot stand against itself")
    if fact["status"] == "superseded" and request.action != "contradict":
        raise Conflict("the fact is superseded")
    match request.action:
        case "supersede" if other:
            if other["status"] != "active":
                raise Conflict("the other fact is superseded itself")
            return {fact["id"]: {"status": "superseded", "superseded_by": other["id"], "valid_to": now}}
        case "contradict" if other:
            return {fact["id"]: {"contradicted": True}, other["id"]: {"contradicted": True}}
        case "invalidate":
            return {fact["id"]: {"valid_to": request.effective_at or now}}
        case _:
            return {fact["id"]: {"valid_to": None}}


async def set_policy(call: Call, request: SetPolicy) -> dict[str, Any]:
    """Set a scope's policy. Raises ScopeNotFound, and ApprovalRequired where it would become less sensitive."""

    async def work(batch: WriteBatch) -> dict[str, Any]:
        policy_id = batch.ids.get("pol", 0)
        locked = (await batch.tx.run("claim/lock_policy"))[0]
        old = locked["policy"] or {}
        if old.get("id") == policy_id:
            return {"outcome": "set", "decision": batch.ids.get("dec", 0), "version": old["version"]}
        new = _policy(request, locked)
        approval_id = sha256 = None
        if (locked["sensitive"] and not new["sensitive"]) or set(old.get("sensitive_kinds", [])) - set(
            new["sensitive_kinds"]
        ):
            sha256 = policy_sha256(request.scope, **new)
            approval_id = await _use_approval(batch, request.scope, request.scope, "set_policy", sha256)
        row = {
            **new,
            "id": policy_id,
            "version": old.get("version", 0) + 1,
            "rationale": request.rationale,
            "transition_id": batch.ids.get("trn", "policy"),
        }
        made = await batch.tx.run("claim/set_policy", row=row, context=batch.context)
        batch.transition_ids.append(made[0]["transition_id"])
        await _decide(batch, request.scope, [policy_id], request.rationale, row, approval_id,
                      action="set_policy", verdict="set", sha256=sha256)  # fmt: skip
        return {"outcome": "set", "decision": batch.ids.get("dec", 0), "version": row["version"]}

    scope = call.principal.write_scope(request.scope, "admin")
    answer = await run_single(call, "set_policy", request, scope, work)
    answer.pop("outcome")
    return answer


def _policy(request: SetPolicy | PolicyInput, locked: Row) -> dict[str, Any]:
    """All that the policy would say, what is not given staying as it is."""
    old = locked["policy"] or {}
    kinds = request.sensitive_kinds
    return {
        "sensitive": bool(locked["sensitive"] if request.sensitive is None else request.sensitive),
        "multi_evidence": bool(
            old.get("multi_evidence", False) if request.multi_evidence is None else request.multi_evidence
        ),
        "sensitive_kinds": old.get("sensitive_kinds", [])
        if kinds is None
        else sorted({name_key(kind) for kind in kinds}),
    }


async def approve(call: Call, request: Approve) -> dict[str, Any]:
    """A person approves one exact statement. Raises Forbidden for anybody else, NotFound, Conflict."""
    if call.principal.kind != "human":
        raise Forbidden("only a person approves")

    async def work(batch: WriteBatch) -> dict[str, Any]:
        scope, target_id, action, sha256 = await _approved(batch, request)
        if sha256 != request.statement_sha256:
            raise Conflict("the statement is not the one of this digest")
        row = {
            "id": batch.ids.get("app", 0),
            "transition_id": batch.ids.get("trn", "approval"),
            "scope": scope,
            "target_id": target_id,
            "action": action,
            "statement_sha256": sha256,
            "token_id": call.principal.token_id,
            "ttl_s": request.ttl_s,
        }
        made = await batch.tx.run("claim/create_approval", row=row, context=batch.context)
        if not made:
            raise Forbidden("only a person approves")
        batch.transition_ids.append(made[0]["transition_id"])
        return {"outcome": "approved", "approval": made[0]["id"], "expires_at": made[0]["expires_at"]}

    if request.policy is not None and request.policy.scope not in call.principal.allowed("approve"):
        raise ScopeNotFound
    scope = (
        call.principal.write_scope(request.policy.scope, "approve")
        if request.policy
        else call.principal.acting_scope("approve", request.scope)
    )
    answer = await run_single(call, "approve", request, scope, work)
    answer.pop("outcome")
    return answer


async def _approved(batch: WriteBatch, request: Approve) -> tuple[str, str, str, str]:
    """What is approved: its scope, the id of what it is about, the action, and the digest as of now."""
    if request.claim is not None:
        claim, _ = await _locked_claim(batch, request.claim)
        if claim["status"] != "candidate":
            raise Conflict(f"the claim is {claim['status']}")
        return claim["scope"], claim["id"], "promote", claim_sha256(claim)
    if request.govern is not None:
        govern = request.govern
        found = await batch.tx.run("claim/lock_facts", ids=[govern.fact])
        if not found:
            raise NotFound
        sha256 = govern_sha256(govern.fact, govern.action, govern.other, govern.effective_at)
        return found[0]["fact"]["scope"], govern.fact, govern.action, sha256
    if request.policy is None:
        raise AssertionError("the model lets no request without a subject through")
    locked = (await batch.tx.run("claim/lock_policy"))[0]
    scope = request.policy.scope
    return scope, scope, "set_policy", policy_sha256(scope, **_policy(request.policy, locked))
