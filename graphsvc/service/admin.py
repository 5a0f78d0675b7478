"""whoami, scopes and tokens (spec 09, 12)."""

from typing import Any

from graphsvc import limits
from graphsvc.auth import NewToken, create_token
from graphsvc.domain.framing import json_body
from graphsvc.errors import Conflict
from graphsvc.graph import Row, Transaction
from graphsvc.ids import new_id
from graphsvc.models.admin import CreateScopes, CreateTokens, Nothing, RevokeTokens
from graphsvc.models.common import InvalidItem
from graphsvc.scope import WILDCARD
from graphsvc.service.call import Call
from graphsvc.service.writing import invalid_outcome


def limits_in_force() -> dict[str, Any]:
    """Every cap by its name in lower case; the unit is in the name."""
    return {name.lower(): value for name, value in vars(limits).items() if name.isupper()}


async def whoami(call: Call, _request: Nothing) -> dict[str, Any]:
    """The caller's principal, kind, grants, default scope and the limits in force."""
    principal = call.principal
    return {
        "principal": principal.name,
        "kind": principal.kind,
        "grants": {scope: sorted(actions) for scope, actions in sorted(principal.grants.items())},
        "default_scope": principal.default_scope,
        "limits": limits_in_force(),
    }


async def create_scopes(call: Call, request: CreateScopes) -> dict[str, Any]:
    """Create scopes. Outcomes: created, existing, invalid. Needs admin on all scopes."""
    call.principal.require_everywhere("admin")
    rows = [
        {**scope.model_dump(), "creation_id": new_id("req")}
        for scope in request.scopes
        if not isinstance(scope, InvalidItem)
    ]

    async def work(tx: Transaction) -> list[Row]:
        return await tx.run("auth/create_scopes", scopes=rows)

    made = {
        row["id"]: row["created"]
        for row in (await call.graph.transaction(None, work, name="create_scopes"))[0]
    }
    results: list[dict[str, Any]] = []
    seen: set[str] = set()
    for i, scope in enumerate(request.scopes):
        if isinstance(scope, InvalidItem):
            results.append(invalid_outcome(i, scope))
            continue
        created = made[scope.id] and scope.id not in seen
        seen.add(scope.id)
        results.append({"index": i, "id": scope.id, "outcome": "created" if created else "existing"})
    return {"results": results}


async def create_tokens(call: Call, request: CreateTokens) -> dict[str, Any]:
    """Create tokens for agents and services; each secret is in this answer and nowhere else."""
    call.principal.require_everywhere("admin")
    results: list[dict[str, Any]] = []
    for i, token in enumerate(request.tokens):
        if isinstance(token, InvalidItem):
            results.append(invalid_outcome(i, token))
            continue
        new = NewToken(token.principal, token.kind, token.grants, token.default_scope, token.expires_at)
        try:
            token_id, secret = await create_token(call.graph, new, call.principal.name)
        except (ValueError, Conflict) as error:
            path = "$.kind" if isinstance(error, Conflict) else "$.grants"
            results.append(
                {"index": i, "outcome": "invalid", "errors": [{"path": path, "reason": str(error)}]}
            )
            continue
        results.append(
            {
                "index": i,
                "outcome": "created",
                "principal": token.principal,
                "token_id": token_id,
                "token": secret,
            }
        )
    return {"results": results}


async def revoke_tokens(call: Call, request: RevokeTokens) -> dict[str, Any]:
    """Revoke tokens by id; unknown and revoked ones contribute zero."""
    call.principal.require_everywhere("admin")

    async def work(tx: Transaction) -> list[Row]:
        return await tx.run("auth/revoke_tokens", token_ids=sorted(set(request.token_ids)))

    rows, _ = await call.graph.transaction(None, work, name="revoke_tokens")
    return {"revoked": len(rows)}


async def list_scopes(call: Call, _request: Nothing) -> str:
    """The scopes that the caller may read, by id."""
    rows = await call.graph.read(call.principal.read_scope(), "auth/list_scopes", bookmarks=call.bookmarks)
    return json_body({"scopes": rows})


async def list_tokens(call: Call, _request: Nothing) -> str:
    """All tokens with principal, grants and times, never a secret."""
    call.principal.require_everywhere("admin")
    rows = await call.graph.read(None, "auth/list_tokens", bookmarks=call.bookmarks)
    tokens = []
    for row in rows:
        grants = {grant["scope"]: grant["actions"] for grant in row.pop("grants")}
        wildcard = row.pop("wildcard")
        if wildcard:
            grants[WILDCARD] = wildcard
        tokens.append({**row, "grants": dict(sorted(grants.items()))})
    return json_body({"tokens": tokens})
