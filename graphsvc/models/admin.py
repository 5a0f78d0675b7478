"""Requests and answers of the administrative operations (spec 09, 12)."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from graphsvc import limits
from graphsvc.models.common import Answer, Flag, Identifier, Instant, ItemOrInvalid, Model, ScopeId

ActionName = Literal["read", "write", "govern", "approve", "admin"]
PrincipalName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@\-]*$", max_length=limits.PRINCIPAL_CHARS_MAX),
    Field(examples=["agent-1"]),
]
Grants = Annotated[
    dict[ScopeId | Literal["*"], Annotated[list[ActionName], Field(min_length=1, max_length=5)]],
    Field(max_length=limits.GRANTS_PER_PRINCIPAL_MAX, examples=[{"project:atlas": ["read", "write"]}]),
]


class Nothing(Model):
    """A request without fields."""


class ScopeInput(Model):
    """A scope to create."""

    id: ScopeId
    title: (
        Annotated[
            str,
            StringConstraints(
                min_length=1, max_length=limits.SCOPE_TITLE_CHARS_MAX, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$"
            ),
        ]
        | None
    ) = None
    sensitive: Flag = False


class CreateScopes(Model):
    """Create scopes; those that exist are left as they are."""

    scopes: Annotated[
        list[Annotated[ScopeInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class TokenInput(Model):
    """A token to create, for an agent or a service; people's tokens are made on the service's own machine."""

    principal: PrincipalName
    kind: Literal["agent", "service"]
    grants: Grants
    default_scope: ScopeId | None = None
    expires_at: Instant | None = None


class CreateTokens(Model):
    """Create tokens; each secret is shown once."""

    tokens: Annotated[
        list[Annotated[TokenInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class RevokeTokens(Model):
    """Revoke tokens; every worker refuses them within 5 s."""

    token_ids: Annotated[list[Identifier], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)]


class WhoamiAnswer(Answer):
    """The caller and what is in force for it."""

    principal: str
    kind: str
    grants: dict[str, list[str]]
    default_scope: str | None
    limits: dict[str, Any]


class ResultsAnswer(Answer):
    """One result an item, in order."""

    results: list[dict[str, Any]]


class ScopesAnswer(Answer):
    """The scopes the caller may read."""

    scopes: list[dict[str, Any]]


class TokensAnswer(Answer):
    """All tokens, without their secrets."""

    tokens: list[dict[str, Any]]


class RevokeAnswer(Answer):
    """How many tokens were revoked."""

    revoked: int
