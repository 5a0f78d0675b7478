"""Bearer tokens: made, checked, revoked; stored only as a hash (spec 09).

A worker trusts a token for `auth_cache_s` (at most 5 s), so a revocation is seen by every worker within that time.
"""

import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from graphsvc.errors import Conflict, Problem, Unauthorized
from graphsvc.graph import Graph, Row, Transaction
from graphsvc.ids import new_id
from graphsvc.scope import ACTIONS, WILDCARD, Principal, PrincipalKind

_TOKEN_PREFIX: Final = "gsv_"  # noqa: S105 - the public part of every token
_CACHE_ENTRIES_MAX: Final = 10_000
OPERATOR: Final = "operator"
OPERATOR_ACTIONS: Final = tuple(action for action in ACTIONS if action != "approve")
"""What an operator may do: all but approve, which only a human's token can carry."""


def token_sha256(token: str) -> str:
    """The hash under which a token is stored. Tokens have 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class NewToken:
    """What a token is to be: for whom, and what it may do where. `grants` maps scope ids (or `*`) to actions."""

    principal: str
    kind: PrincipalKind
    grants: Mapping[str, Sequence[str]]
    default_scope: str | None = None
    expires_at: datetime | None = None


async def create_token(
    graph: Graph, new: NewToken, created_by: str, secret: str | None = None
) -> tuple[str, str]:
    """Store a new token and return (token id, secret). The secret is nowhere else.

    Raises Conflict when the principal exists with another kind; ValueError for `approve` without a human.
    """
    if new.kind != "human" and any("approve" in actions for actions in new.grants.values()):
        raise ValueError("only a human's token can carry 'approve'")
    secret = secret or _TOKEN_PREFIX + secrets.token_urlsafe(32)
    writable = sorted(
        scope for scope, actions in new.grants.items() if "write" in actions and scope != WILDCARD
    )
    row = {
        "id": new_id("tok"),
        "sha256": token_sha256(secret),
        "principal": new.principal,
        "kind": new.kind,
        "default_scope": new.default_scope or (writable[0] if len(writable) == 1 else None),
        "wildcard_actions": sorted(new.grants.get(WILDCARD, ())),
        "expires_at": new.expires_at,
        "created_by": created_by,
        "grants": [
            {"scope": scope, "actions": sorted(set(actions))}
            for scope, actions in sorted(new.grants.items())
            if scope != WILDCARD
        ],
    }

    async def work(tx: Transaction) -> list[Row]:
        return await tx.run("auth/create_token", token=row)

    rows, _ = await graph.transaction(None, work, name="create_token")
    if not rows:
        raise Conflict(
            "the principal exists with another kind",
            [Problem("$.kind", "the principal exists with another kind")],
        )
    return str(row["id"]), secret


def _principal(row: Row) -> Principal:
    grants: dict[str, frozenset[str]] = {
        grant["scope"]: frozenset(grant["actions"]) for grant in row["grants"]
    }
    if row["wildcard"]:
        grants[WILDCARD] = frozenset(row["wildcard"])
    return Principal(
        name=row["principal"],
        kind=cast("PrincipalKind", row["kind"]),
        grants=grants,
        scopes=frozenset(row["scopes"]),
        default_scope=row["default_scope"],
        token_id=row["token_id"],
    )


class Authenticator:
    """Finds the principal behind a bearer token, with a short memory."""

    def __init__(self, graph: Graph, cache_s: float) -> None:
        self._graph = graph
        self._cache_s = cache_s
        self._known: dict[str, tuple[float, Principal]] = {}

    def forget(self) -> None:
        """Ask the database again for every token: after scopes or tokens changed here."""
        self._known.clear()

    async def authenticate(self, authorization: str | None, *, fresh: bool = False) -> Principal:
        """The principal of an `Authorization` header. `fresh` asks the database whatever the memory says.

        Raises Unauthorized: without a header, with another scheme, for an unknown, expired or revoked token.
        """
        scheme, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Unauthorized
        digest = token_sha256(token)
        now = time.monotonic()
        known = self._known.get(digest)
        if known and not fresh and now - known[0] < self._cache_s:
            return known[1]
        rows: list[dict[str, Any]] = await self._graph.read(None, "auth/authenticate", sha256=digest)
        if not rows:
            self._known.pop(digest, None)
            raise Unauthorized
        principal = _principal(rows[0])
        if len(self._known) >= _CACHE_ENTRIES_MAX:
            self._known.clear()
        self._known[digest] = (now, principal)
        return principal
