"""Thousands of foreign decoys: same names, words and types, and things laid across the border in both directions.

Loaded once a run. Nothing of it is visible to the principal under test, so nothing may change for it.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

from tests.harness.service_process import Caller
from tests.harness.tally import TALLY

_BATCH = 250


@dataclass
class Decoys:
    """What is foreign to the principal under test, by a caller who sees everything."""

    operator: Caller
    scopes: list[str]
    canary: str
    ids: list[str] = field(default_factory=list)

    def load(self, names: list[str], words: list[str], types: list[str], entities_per_scope: int) -> "Decoys":
        """Entities with these names and words in every foreign scope, related among themselves."""
        self.operator.call("create_scopes", scopes=[{"id": scope} for scope in self.scopes])
        for scope in self.scopes:
            rows = [self._entity(names, words, i) for i in range(entities_per_scope)]
            for start in range(0, len(rows), _BATCH):
                batch = rows[start : start + _BATCH]
                answer = self.operator.call(
                    "create_entities", scope=scope, resolve="own_scope", entities=batch
                )
                self.ids += [result["id"] for result in answer["results"]]
                TALLY["decoys loaded"] += len(batch)
        first = [{"id": entity_id} for entity_id in self.ids[:40]]
        self._relate(self.scopes[0], [(a, b) for a, b in itertools.pairwise(first)], types)
        return self

    def _entity(self, names: list[str], words: list[str], i: int) -> dict[str, Any]:
        name = names[i % len(names)] if i < len(names) else f"{names[i % len(names)]} {self.canary} {i}"
        texts = [f"{words[(i + j) % len(words)]} {words[i % len(words)]} {self.canary} {i}" for j in range(2)]
        return {"name": name, "kind": "place", "aliases": [f"{self.canary} {i}"], "observations": texts}

    def _relate(self, scope: str, pairs: list[tuple[Any, Any]], types: list[str]) -> None:
        relations = [
            {"from": a, "type": types[i % len(types)], "to": b, "properties": {"note": self.canary}}
            for i, (a, b) in enumerate(pairs)
        ]
        for start in range(0, len(relations), _BATCH):
            self.operator.call("create_relations", scope=scope, relations=relations[start : start + _BATCH])

    def cross(
        self, own_scope: str, own_ids: list[str], names: list[str], words: list[str], types: list[str]
    ) -> None:
        """Foreign things on the entities of `own_scope`, and things inside it that hang on foreign entities."""
        own = [{"id": entity_id} for entity_id in own_ids]
        foreign = [{"id": entity_id} for entity_id in self.ids[: len(own)]]
        texts = [f"{word} {self.canary} across" for word in words]
        keys = [f"{name}" for name in names]
        for scope, things in ((self.scopes[0], own), (self.scopes[1], own), (own_scope, foreign)):
            items = [{"entity": thing, "contents": texts} for thing in things]
            session = {"session_id": "own-session"}
            self.operator.call("add_observations", scope=scope, items=items, provenance=session)
            named = [{"entity": thing, "aliases": keys} for thing in things[:8]]
            self.operator.call("add_aliases", scope=scope, items=named)
        for scope in (self.scopes[0], own_scope):
            self._relate(scope, list(zip(own, foreign, strict=False)), types)
            self._relate(scope, list(zip(foreign, own, strict=False)), types)
        self._relate(own_scope, list(itertools.pairwise(foreign)), [*types, *words])
        self._relate(self.scopes[0], list(itertools.pairwise(own)), [*types, *words])
        # Retired and revived foreign things leave as little trace as live ones.
        self.operator.call("delete_entities", scope=self.scopes[0], names=foreign[:5])

    def cross_tasks(self, own_task: str, own_ids: list[str]) -> None:
        """Foreign tasks on entities of `own_scope`, and the own task linked to foreign entities."""
        tasks = [
            {"title": f"Order for Paul Pack {self.canary} {i}", "body": "zorvex Harbor"} for i in range(9)
        ]
        page = "# Harbor\n\nzorvex printing at the Mill B.\n"
        for i, scope in enumerate(self.scopes):
            self.operator.call(
                "put_document", scope=scope, title=f"Harbor {self.canary}", text=page + " " * i
            )
        made = self.operator.call("create_tasks", scope=self.scopes[0], tasks=tasks)["results"]
        linked = [(result["id"], entity_id) for result, entity_id in zip(made, own_ids, strict=False)]
        linked += [(own_task, entity_id) for entity_id in self.ids[: len(own_ids)]]
        for task, entity_id in linked:
            self.operator.call("link_task_entity", task=task, entity={"id": entity_id})

    def cross_claims(self, own_scope: str, own_ids: list[str], own_observations: list[str]) -> None:
        """Foreign claims and facts about own things and on own evidence, and own ones about foreign things."""
        evidence = [{"kind": "observation", "ref": ref} for ref in own_observations]
        said = {"predicate": "has", "confidence": 0.9, "evidence": evidence}
        for scope, subjects, object_ in (
            (self.scopes[0], own_ids, f"zorvex tides {self.canary}"),
            (own_scope, own_ids, {"id": self.ids[7]}),
            (own_scope, self.ids[8:16], f"zorvex tides {self.canary}"),
        ):
            self.operator.call("set_policy", scope=scope, multi_evidence=True)
            claims = [{**said, "subject": {"id": subject}, "object": object_} for subject in subjects]
            made = self.operator.call("propose_claims", scope=scope, claims=claims)["results"]
            for result in made[: len(made) // 2]:
                ask = {"claim": result["id"], "mode": "multi_evidence", "scope": scope}
                self.operator.call("promote_candidate", **ask)
