"""The requests of the authorization table: one an operation, aimed at a target that is own, foreign or missing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Place = Literal["own", "foreign", "missing"]
PLACES: tuple[Place, ...] = ("own", "foreign", "missing")


@dataclass(frozen=True)
class Target:
    """What a request is aimed at. Foreign and missing ones are spelt with the same number of characters."""

    place: Place
    scope: str
    name: str
    id: str
    token_id: str
    task_id: str
    note_id: str
    doc_id: str

    @property
    def task(self) -> dict[str, str]:
        """The task that is about the entity."""
        return {"id": self.task_id}

    @property
    def reference(self) -> dict[str, str]:
        """The entity by its id."""
        return {"id": self.id}

    def spellings(self) -> list[str]:
        """Everything the caller itself writes that names the target."""
        return [self.scope, self.name, self.id, self.token_id, self.task_id, self.note_id, self.doc_id]


CASES: dict[str, Callable[[Target], dict[str, Any]]] = {
    "search_nodes": lambda t: {"query": t.name, "scopes": [t.scope], "pointers": True},
    "search_by_project": lambda t: {"query": t.name, "project": t.scope, "pointers": True},
    "open_nodes": lambda t: {"names": [t.reference, t.name], "neighbours": True},
    "read_graph": lambda t: {"scopes": [t.scope], "budget": {"limit": 200_000}, "limit": 5},
    "find_by_title": lambda t: {"phrase": t.name, "scopes": [t.scope]},
    "get_history": lambda t: {"entity": t.reference, "limit": 1},
    "list_changes": lambda t: {"scopes": [t.scope], "limit": 5},
    "create_entities": lambda t: {"scope": t.scope, "entities": [{"name": f"new {t.name}"}]},
    "update_entities": lambda t: {"items": [{"entity": t.reference, "kind": "changed"}]},
    "add_observations": lambda t: {"items": [{"entity": t.reference, "contents": ["another fact"]}]},
    "create_relations": lambda t: {
        "relations": [{"from": t.reference, "type": "near", "to": t.name}],
        "allow_self": True,
    },
    "add_aliases": lambda t: {"items": [{"entity": t.reference, "aliases": ["other name"]}]},
    "remove_aliases": lambda t: {"items": [{"entity": t.reference, "aliases": ["nickname"]}]},
    "delete_entities": lambda t: {"names": [t.reference]},
    "delete_observations": lambda t: {"items": [{"entity": t.reference, "contents": ["a fact"]}]},
    "delete_relations": lambda t: {"relations": [{"from": t.reference, "type": "self", "to": t.name}]},
    "merge_entities": lambda t: {"source": t.reference, "target": t.name, "dry_run": True},
    "unmerge_entities": lambda t: {"source": t.reference},
    "create_tasks": lambda t: {"scope": t.scope, "tasks": [{"title": f"new {t.name}"}]},
    "update_tasks": lambda t: {"items": [{"task": t.task, "status": "doing"}]},
    "create_notes": lambda t: {"scope": t.scope, "notes": [{"title": f"new {t.name}"}]},
    "update_notes": lambda t: {"items": [{"note": {"id": t.note_id}, "title": "changed"}]},
    "retire": lambda t: {"ids": [t.task["id"], t.note_id]},
    "revive": lambda t: {"ids": [t.task["id"], t.note_id]},
    "link_task_entity": lambda t: {"task": t.task, "entity": t.reference},
    "unlink_task_entity": lambda t: {"task": t.task, "entity": t.reference},
    "reject_suggestion": lambda t: {"task": t.task, "entity": t.reference},
    "get_task_links": lambda t: {"task": t.task},
    "get_entity_tasks": lambda t: {"entity": t.reference},
    "suggest_task_links": lambda t: {"task": t.task},
    "export_link_labels": lambda _: {},
    "whoami": lambda _: {},
    "list_scopes": lambda _: {},
    "create_scopes": lambda t: {"scopes": [{"id": f"{t.scope}-new"}]},
    "create_tokens": lambda t: {
        "tokens": [
            {"principal": "made-by-the-table", "kind": "agent", "grants": {f"{t.scope}-new": ["read"]}}
        ]
    },
    "revoke_tokens": lambda t: {"token_ids": [t.token_id]},
    "list_tokens": lambda _: {},
    "propose_claims": lambda t: {
        "scope": t.scope,
        "claims": [{"subject": t.reference, "predicate": "is", "object": "good"}],
    },
    "extract_claims": lambda t: {
        "scope": t.scope,
        "text": "Nobody Known supplies something.",
        "dry_run": True,
    },
    "list_claims": lambda t: {"subject": t.reference},
    "list_facts": lambda t: {"subject": t.reference},
    "reject_claim": lambda t: {"claim": t.id},
    "promote_candidate": lambda t: {"claim": t.id, "mode": "human_confirmed"},
    "govern_fact": lambda t: {"fact": t.id, "action": "revalidate"},
    "set_policy": lambda t: {"scope": t.scope, "multi_evidence": False},
    "approve": lambda t: {"claim": t.id, "statement_sha256": "0" * 64},
    "get_provenance": lambda t: {"id": t.id},
    "retire_by_provenance": lambda t: {"scope": t.scope, "session_id": t.name, "dry_run": True},
    "audit_memory": lambda _: {},
    "put_document": lambda t: {"scope": t.scope, "title": "A document", "text": f"about {t.name}"},
    "get_excerpt": lambda t: {
        "source_ref": {"schema": "source_ref/v1", "resolver": "graph_doc", "ref": {"doc_id": t.doc_id}}
    },
}
"""Operation to payload. An operation that is not here fails the test: add it with a target in it."""


def _few(values: list[Any]) -> str:
    """How many, where that does not depend on what else the table has written."""
    return str(len(values)) if len(values) < 3 else "many"


def summary(operation: str, body: Any) -> str:
    """What an answer came to, in a few words, without ids or counts that differ from run to run."""
    if not isinstance(body, dict):
        return "text"
    if "type" in body and "request_id" in body and "status" in body:
        return str(body["type"]).removeprefix("/errors/")
    if "results" in body:
        return " ".join(str(result.get("outcome")) for result in body["results"])
    if operation in {"list_tokens", "list_scopes"}:
        return "a list"
    parts = [
        f"{key}={body[key]}" for key in ("retired", "revived", "revoked", "removed", "outcome") if key in body
    ]
    parts += [f"{key}={_few(value)}" for key, value in body.items() if isinstance(value, list)]
    if "excerpt" in body:
        parts = ["an excerpt" if body["excerpt"] else "no excerpt"]
    if "evidence" in body:
        parts = ["evidence" if body["evidence"] else "no evidence"]
    if "pointers" in body:
        parts.append(f"pointers={len(body['pointers']['items'])}")
    return " ".join(parts) or "done"
