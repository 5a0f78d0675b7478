"""Claims: propose, extract, list (spec 08). A claim is not a fact, and no read of chapter 03 shows it as one."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import orjson

from graphsvc import limits
from graphsvc.domain.safety import secret_warning
from graphsvc.domain.statements import claim_sha256, evidence_json
from graphsvc.errors import NotFound
from graphsvc.extractors.registry import extract
from graphsvc.graph import Row
from graphsvc.models.claims import (
    ClaimInput,
    ExtractClaims,
    ListClaims,
    ListFacts,
    LiteralObject,
    ProposeClaims,
)
from graphsvc.models.common import IdReference, InvalidItem
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.past import Past
from graphsvc.service.task_links import cursor_place, deliver_page
from graphsvc.service.writing import Results, WriteBatch, invalid_outcome, resolve_references, run_write


async def propose_claims(call: Call, request: ProposeClaims) -> dict[str, Any]:
    """Propose claims. Outcomes: created, existing, revived, skipped (the subject is not there, or the scope is not
    writable), ambiguous, invalid.
    """
    return await run_write(
        call,
        "propose_claims",
        request,
        "claims",
        lambda batch: _propose(batch, request.claims, request.scope),
        _scope(call, request.scope),
    )


def _scope(call: Call, named: str | None) -> Scope:
    return call.principal.write_scope(named) if named else call.principal.acting_scope("write")


async def _propose(
    batch: WriteBatch, claims: Sequence[ClaimInput | InvalidItem], scope: str | None
) -> Results:
    results: dict[int, dict[str, Any]] = {}
    valid = [(i, claim) for i, claim in enumerate(claims) if isinstance(claim, ClaimInput)]
    subjects = await batch.resolve([claim.subject for _, claim in valid])
    objects = await batch.resolve(
        [claim.object if isinstance(claim.object, IdReference) else _text(claim) for _, claim in valid]
    )
    rows: list[dict[str, Any]] = []
    lead: dict[str, int] = {}
    for (i, claim), subject, object_ in zip(valid, subjects, objects, strict=True):
        home = claim.scope or scope or batch.call.principal.default_scope
        entity = [] if isinstance(claim.object, LiteralObject) else object_
        if len(subject) > 1 or len(entity) > 1:
            results[i] = {"index": i, "outcome": "ambiguous"}
        elif (
            not subject
            or home not in batch.scope.writable
            or (isinstance(claim.object, IdReference) and not entity)
        ):
            results[i] = {"index": i, "outcome": "skipped"}
        else:
            row = _row(batch, i, claim, home, subject[0], entity[0] if entity else None)
            first = lead.setdefault(row["statement_sha256"], i)
            results[i] = {"index": i, "outcome": "existing", "first": first}
            if first == i:
                rows.append(row)
    made = await batch.run("claim/propose_claims", sorted(rows, key=lambda row: row["statement_sha256"]))
    for i, result in results.items():
        if "first" in result:
            found = made.get(result.pop("first"))
            if found is None:
                result["outcome"] = "skipped"
                continue
            changed = found["changed"] if found["index"] == i else None
            result |= {"outcome": changed or "existing", "id": found["id"], "status": found["status"]}
    for i, claim in valid:
        if "id" in results[i]:
            excerpts = "\n".join(part.excerpt or "" for part in claim.evidence)
            results[i].update(secret_warning(object=_text(claim), evidence=excerpts))
    for i, parsed in enumerate(claims):
        if isinstance(parsed, InvalidItem):
            results[i] = invalid_outcome(i, parsed)
    return [results[i] for i in sorted(results)]


def _text(claim: ClaimInput) -> str:
    return claim.object.literal if isinstance(claim.object, LiteralObject) else str(claim.object)


def _row(
    batch: WriteBatch, i: int, claim: ClaimInput, home: str | None, subject: Row, entity: Row | None
) -> dict[str, Any]:
    claim_id = batch.ids.get("clm", i)
    evidence = [
        {
            "kind": part.kind,
            "ref": part.ref,
            "source_ref": part.source_ref.canonical if part.source_ref else None,
            "excerpt": part.excerpt,
            "weight": part.weight,
        }
        for part in claim.evidence
    ]
    row = {
        "index": i,
        "id": claim_id,
        "transition_id": batch.ids.get("trn", "claim", i),
        "scope": home,
        "subject_id": subject["id"],
        "subject": subject["name"],
        "predicate": claim.predicate,
        "object_id": entity["id"] if entity else None,
        "object": entity["name"] if entity else _text(claim),
        "confidence": claim.confidence,
        "evidence_json": evidence_json(evidence),
        "evidence": [{**part, "id": f"{claim_id}/{n}"} for n, part in enumerate(evidence)],
    }
    row["caption"] = f"{row['subject']} {row['predicate']} {row['object']}"
    return row | {"statement_sha256": claim_sha256({**row, "evidence": row["evidence_json"]})}


async def extract_claims(call: Call, request: ExtractClaims) -> dict[str, Any]:
    """Find claims in a text and propose them (`dry_run`: only say which). Raises NotFound for an unknown extractor.

    Each result has the statement found, with its place in the text; outcomes are those of propose_claims, or `found`.
    """
    found = extract(request.extractor, request.text)[: limits.EXTRACTED_CLAIMS_MAX]
    claims = [
        ClaimInput.model_validate(
            {
                "subject": one.subject,
                "predicate": one.predicate,
                "object": one.object,
                "confidence": one.confidence,
                "evidence": [
                    {
                        "kind": "text",
                        "ref": f"{request.extractor}:{one.start}-{one.end}",
                        "excerpt": request.text[one.start : one.end][: limits.EVIDENCE_EXCERPT_CHARS_MAX],
                    }
                ],
            }
        )
        for one in found
    ]
    statements: list[dict[str, Any]] = [
        {
            "subject": one.subject,
            "predicate": one.predicate,
            "object": one.object,
            "span": [one.start, one.end],
        }
        for one in found
    ]
    scope = _scope(call, request.scope)

    async def work(batch: WriteBatch) -> Results:
        return [] if request.dry_run else await _propose(batch, claims, request.scope)

    answer = await run_write(call, "extract_claims", request, "text", work, scope)
    if request.dry_run:
        answer["results"] = [{"index": i, "outcome": "found"} for i in range(len(found))]
        answer["counts"] = {"found": len(found)} if found else {}
    for result in answer["results"]:
        result.update(statements[result["index"]])
    return answer


async def list_claims(call: Call, request: ListClaims) -> str:
    """A page of visible claims with the digest that an approval names. Raises NotFound for an unknown subject."""
    if request.as_of is not None:
        return await _past_list(Past(call, call.principal.read_scope(), request.as_of), request, "claim")
    return await _list(call, request, "claim/list_claims", "claims")


async def list_facts(call: Call, request: ListFacts) -> str:
    """A page of visible facts with their validity. Raises NotFound for an unknown subject."""
    if request.as_of is not None:
        return await _past_list(Past(call, call.principal.read_scope(), request.as_of), request, "fact")
    return await _list(call, request, "claim/list_facts", "facts")


async def _list(call: Call, request: ListClaims | ListFacts, query: str, name: str) -> str:
    scope = call.principal.read_scope()

    async def read(query: str, **params: object) -> list[Row]:
        return await call.graph.read(scope, query, bookmarks=call.bookmarks, **params)

    subject_id = None
    if request.subject is not None:
        owners = (await resolve_references(read, [request.subject]))[0]
        if len(owners) != 1:
            raise NotFound
        subject_id = owners[0]["id"]
    rows = await read(
        query,
        status=request.status,
        subject_id=subject_id,
        after=cursor_place(request.cursor, name),
        page=request.limit + 1,
    )
    return deliver_page(name, [statement_record(row) for row in rows[0][name]], request, name)


_CLAIM_FIELDS: Final = (
    *("subject", "subject_id", "predicate", "object", "object_id", "confidence"),
    *("evidence", "status", "statement_sha256"),
)
_FACT_FIELDS: Final = (
    *("subject", "subject_id", "predicate", "object", "object_id", "confidence", "mode", "status"),
    *(
        "contradicted",
        "superseded_by",
        "claim_id",
        "decision_id",
        "statement_sha256",
        "valid_from",
        "valid_to",
    ),
)


async def _past_list(past: Past, request: ListClaims | ListFacts, kind: Literal["claim", "fact"]) -> str:
    """As `_list`, with statements as they were."""
    name, fields = ("claims", _CLAIM_FIELDS) if kind == "claim" else ("facts", _FACT_FIELDS)
    subject_id = None
    if request.subject is not None:
        owners = (await past.resolve([request.subject]))[0]
        if len(owners) != 1:
            raise NotFound
        subject_id = owners[0]
    rows = await past.read(
        "past/statements",
        kind=kind,
        status=request.status,
        subject_id=subject_id,
        after=cursor_place(request.cursor, name),
        page=request.limit + 1,
    )
    found = rows[0]["statements"]
    states = await past.states(row["id"] for row in found)
    records = []
    for row in found:
        if kind == "fact":
            row.pop("created_by")
        content = states[row["id"]].content
        records.append(statement_record(row | {field: content.get(field) for field in fields}))
    return deliver_page(name, records, request, name)


def statement_record(row: Row) -> dict[str, Any]:
    """A claim or fact as it is shown: fields in one order, subject and object as references."""
    ends = {
        "subject": {"id": row["subject_id"], "name": row["subject"]},
        "object": {"id": row["object_id"], "name": row["object"]} if row["object_id"] else row["object"],
    }
    rest: dict[str, Any] = {
        name: row[name]
        for name in (
            *(
                "scope",
                "confidence",
                "status",
                "mode",
                "valid_from",
                "valid_to",
                "contradicted",
                "superseded_by",
            ),
            *("claim_id", "decision_id", "statement_sha256", "created_at", "created_by"),
        )
        if name in row
    }
    if "contradicted" in rest:
        rest["contradicted"] = bool(rest["contradicted"])
    if row.get("evidence") is not None:
        rest["evidence"] = [
            {**part, "source_ref": orjson.loads(part["source_ref"]) if part["source_ref"] else None}
            for part in orjson.loads(row["evidence"])
        ]
    return {
        "id": row["id"],
        "subject": ends["subject"],
        "predicate": row["predicate"],
        "object": ends["object"],
        **rest,
    }
