"""The table of contents: every operation with its request, its answer and the use-case behind it (spec 09).

HTTP routes, OpenAPI, MCP tools, the client and the tests of who may do what are made from this table.
"""

from types import MappingProxyType
from typing import Final

from graphsvc.claim_operations import CLAIM_OPERATIONS
from graphsvc.models import admin, reads, writes
from graphsvc.operation import Operation
from graphsvc.service import admin as admin_service
from graphsvc.service import (
    aliases,
    entities,
    graph_walk,
    history,
    observations,
    opening,
    relations,
    search,
    title_search,
)
from graphsvc.task_operations import TASK_OPERATIONS

_ALL: Final = (
    Operation(
        "search_nodes",
        "read",
        "read",
        reads.SearchNodes,
        reads.SearchAnswer,
        search.search_nodes,
        get=True,
        example={
            "query": "who does same-day printing for Paul Pack?",
            "project_hint": "atlas",
            "pointers": True,
            "budget": {"unit": "chars", "limit": 4000},
        },
    ),
    Operation(
        "search_by_project",
        "read",
        "read",
        reads.SearchByProject,
        reads.SearchAnswer,
        search.search_by_project,
        get=True,
        example={"query": "same-day printing", "project": "atlas"},
    ),
    Operation(
        "open_nodes",
        "read",
        "read",
        reads.OpenNodes,
        reads.OpenAnswer,
        opening.open_nodes,
        get=True,
        example={"names": ["Acme Print", "Nobody"], "neighbours": True},
    ),
    Operation(
        "read_graph",
        "read",
        "read",
        reads.ReadGraph,
        reads.GraphAnswer,
        graph_walk.read_graph,
        get=True,
        example={"limit": 200},
    ),
    Operation(
        "find_by_title",
        "read",
        "read",
        reads.FindByTitle,
        reads.TitlesAnswer,
        title_search.find_by_title,
        get=True,
        example={"phrase": "acme turnaraund", "kinds": ["entity", "task", "note"], "limit": 10},
    ),
    Operation(
        "get_history",
        "read",
        "read",
        reads.GetHistory,
        reads.HistoryAnswer,
        history.get_history,
        get=True,
        example={"entity": "Acme Print"},
    ),
    Operation(
        "list_changes",
        "read",
        "read",
        reads.ListChanges,
        reads.ChangesAnswer,
        history.list_changes,
        get=True,
        example={"limit": 100},
    ),
    Operation(
        "create_entities",
        "write",
        "write",
        writes.CreateEntities,
        writes.WriteAnswer,
        entities.create_entities,
        example={
            "scope": "project:atlas",
            "entities": [
                {
                    "name": "Acme Print",
                    "kind": "organization",
                    "aliases": ["Acme"],
                    "observations": ["Acme Print offers same-day turnaround"],
                }
            ],
        },
    ),
    Operation(
        "update_entities",
        "write",
        "write",
        writes.UpdateEntities,
        writes.WriteAnswer,
        entities.update_entities,
        example={"items": [{"entity": "Acme Print", "name": "Acme Printing", "kind": "company"}]},
    ),
    Operation(
        "add_observations",
        "write",
        "write",
        writes.AddObservations,
        writes.WriteAnswer,
        observations.add_observations,
        example={
            "items": [
                {
                    "entity": "Acme Print",
                    "contents": [
                        "Closed on Mondays",
                        {"text": "Moved to Hall 4", "observed_at": "2026-03-01T10:00:00Z"},
                    ],
                }
            ]
        },
    ),
    Operation(
        "create_relations",
        "write",
        "write",
        writes.CreateRelations,
        writes.WriteAnswer,
        relations.create_relations,
        example={"relations": [{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}]},
    ),
    Operation(
        "add_aliases",
        "write",
        "write",
        writes.AddAliases,
        writes.WriteAnswer,
        aliases.add_aliases,
        example={"items": [{"entity": "Acme Print", "aliases": ["Acme"]}]},
    ),
    Operation(
        "remove_aliases",
        "write",
        "write",
        writes.RemoveAliases,
        writes.RetireAnswer,
        aliases.remove_aliases,
        example={"items": [{"entity": "Acme Print", "aliases": ["Acme"]}]},
    ),
    Operation(
        "delete_entities",
        "write",
        "write",
        writes.DeleteEntities,
        writes.RetireAnswer,
        entities.delete_entities,
        example={"names": ["Acme Print"]},
    ),
    Operation(
        "delete_observations",
        "write",
        "write",
        writes.DeleteObservations,
        writes.RetireAnswer,
        observations.delete_observations,
        example={"items": [{"entity": "Acme Print", "contents": ["Closed on Mondays"]}]},
    ),
    Operation(
        "delete_relations",
        "write",
        "write",
        writes.DeleteRelations,
        writes.RetireAnswer,
        relations.delete_relations,
        example={"relations": [{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}]},
    ),
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
    *TASK_OPERATIONS,
    *CLAIM_OPERATIONS,
)

OPERATIONS: Final = MappingProxyType({operation.name: operation for operation in _ALL})
