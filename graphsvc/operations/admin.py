"""Scopes, principals and tokens (spec 01, 09): a part of the table in `operations/__init__.py`."""

from typing import Final

from graphsvc.models import admin
from graphsvc.operations.operation import Operation
from graphsvc.service import admin as admin_service

ADMIN_OPERATIONS: Final = (
    Operation("whoami", "admin", "read", admin.Nothing, admin.WhoamiAnswer, admin_service.whoami, get=True),
    Operation(
        "list_scopes", "admin", "read", admin.Nothing, admin.ScopesAnswer, admin_service.list_scopes, get=True
    ),
    Operation(
        "create_scopes",
        "admin",
        "admin",
        admin.CreateScopes,
        admin.ResultsAnswer,
        admin_service.create_scopes,
        changes_access=True,
        example={"scopes": [{"id": "project:atlas", "title": "Atlas", "sensitive": False}]},
    ),
    Operation(
        "create_tokens",
        "admin",
        "admin",
        admin.CreateTokens,
        admin.ResultsAnswer,
        admin_service.create_tokens,
        changes_access=True,
        example={
            "tokens": [
                {
                    "principal": "agent-1",
                    "kind": "agent",
                    "default_scope": "project:atlas",
                    "grants": {"project:atlas": ["read", "write"], "shared": ["read"]},
                }
            ]
        },
    ),
    Operation(
        "revoke_tokens",
        "admin",
        "admin",
        admin.RevokeTokens,
        admin.RevokeAnswer,
        admin_service.revoke_tokens,
        changes_access=True,
        example={"token_ids": ["tok_0123"]},
    ),
    Operation(
        "list_tokens",
        "admin",
        "admin",
        admin.Nothing,
        admin.TokensAnswer,
        admin_service.list_tokens,
        get=True,
    ),
)
