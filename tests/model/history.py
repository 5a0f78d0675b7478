"""One step at a time on the service and in the model, compared."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.harness.tally import TALLY
from tests.model.reference_model import Entity, Model, Part, Who, fold, name_key, type_key
from tests.model.scopes_world import ScopesWorld

LARGE = {"unit": "chars", "limit": 200_000}


@dataclass
class History:
    """A world and its model, kept in step."""

    world: ScopesWorld
    model: Model = field(default_factory=Model)

    # One request --------------------------------------------------------------------------------------------------

    def send(self, who: Who, operation: str, **payload: Any) -> httpx.Response:
        """One request, scanned for what its caller must not see."""
        response = self.world.callers[who.name].post(operation, payload)
        TALLY["model operations"] += 1
        self.world.canaries.check(response, who.read)
        return response

    def call(self, who: Who, operation: str, **payload: Any) -> Any:
        """The answer of a request that must succeed."""
        response = self.send(who, operation, **payload)
        assert response.status_code == 200, f"{operation}: {response.status_code} {response.text[:500]}"
        return response.json()

    def text(self, scope: str, word: str) -> str:
        """A text for this scope, with its canary."""
        return f"{word} {self.world.canary(scope)}"

    def owners(self, who: Who, scope: str, reference: str) -> list[Entity]:
        """Whom a reference in a write to this scope means."""
        return self.model.owners(who.read | {scope}, scope, reference)

    # Writes -------------------------------------------------------------------------------------------------------

    def create(
        self, who: Who, scope: str, name: str, kind: str | None, words: list[str], aliases: list[str]
    ) -> None:
        """create_entities with facts and other names."""
        aliases = [alias for alias in aliases if name_key(alias) != name_key(name)]
        texts = [self.text(scope, word) for word in words]
        item = {"name": name, "kind": kind, "observations": texts, "aliases": aliases}
        result = self.call(who, "create_entities", scope=scope, entities=[item])["results"][0]
        outcome, entity = self.model.create_entity(who, scope, name, kind)
        assert result["outcome"] == outcome, (result, outcome)
        if entity is None:
            return
        entity.id = entity.id or result["id"]
        assert (result["id"], result["scope"]) == (entity.id, entity.scope)
        expected = []
        for alias in aliases:
            given = self.model.add_alias(scope, entity, alias)
            expected.append(given)
        assert [a["outcome"] for a in result["aliases"]] == expected, (result, expected)
        outcomes = [self.model.add_fact(scope, entity, text) for text in texts]
        assert [o["outcome"] for o in result["observations"]] == outcomes, (result, outcomes)

    def observe(self, who: Who, scope: str, reference: str, word: str) -> None:
        """add_observations."""
        text = self.text(scope, word)
        items = [{"entity": reference, "contents": [text]}]
        result = self.call(who, "add_observations", scope=scope, items=items)["results"][0]
        owners = self.owners(who, scope, reference)
        if len(owners) != 1:
            assert result == {"index": 0, "outcome": "ambiguous" if owners else "skipped"}
            return
        assert result["entity_id"] == owners[0].id
        assert result["observations"][0]["outcome"] == self.model.add_fact(scope, owners[0], text)

    def relate(self, who: Who, scope: str, source: str, relation_type: str, target: str) -> None:
        """create_relations."""
        relation = {"from": source, "type": relation_type, "to": target}
        result = self.call(who, "create_relations", scope=scope, relations=[relation])["results"][0]
        ends = [self.owners(who, scope, end) for end in (source, target)]
        if any(len(end) != 1 for end in ends):
            assert result == {"index": 0, "outcome": "skipped"}
            return
        outcome = self.model.relate(scope, ends[0][0], relation_type, ends[1][0])
        assert result["outcome"] == outcome, (result, outcome)

    def alias(self, who: Who, scope: str, reference: str, alias: str) -> None:
        """add_aliases."""
        items = [{"entity": reference, "aliases": [alias]}]
        result = self.call(who, "add_aliases", scope=scope, items=items)["results"][0]
        owners = self.owners(who, scope, reference)
        if len(owners) != 1:
            assert result == {"index": 0, "outcome": "ambiguous" if owners else "skipped"}
            return
        entity = owners[0]
        is_name = name_key(alias) == entity.key
        expected: dict[str, Any] = {"index": 0, "outcome": self.model.add_alias(scope, entity, alias)}
        if not is_name and self.model.is_shared(who.read | {scope}, entity, alias):
            expected["shared"] = True
        assert result["aliases"] == [expected], (result, expected)

    def rename(self, who: Who, scope: str, reference: str, name: str | None, kind: str | None) -> None:
        """update_entities."""
        items = [{"entity": reference, "name": name, "kind": kind}]
        result = self.call(who, "update_entities", scope=scope, items=items)["results"][0]
        owners = self.owners(who, scope, reference)
        outcome = "ambiguous" if len(owners) > 1 else "skipped"
        if len(owners) == 1:
            outcome = self.model.rename(who, owners[0], name, kind)
        assert result["outcome"] == outcome, (result, outcome)

    def forget(self, who: Who, scope: str, what: str, reference: str, other: str, word: str) -> None:
        """One of the four retiring operations."""
        owners = self.owners(who, scope, reference)
        entity = owners[0] if len(owners) == 1 else None
        things: list[Entity | Part] = []
        if what == "delete_entities":
            payload: dict[str, Any] = {"names": [reference]}
            things = [entity] if entity else []
        elif what == "delete_observations":
            texts = [self.text(where, word) for where in sorted(who.write)]
            payload = {"items": [{"entity": reference, "contents": texts}]}
            keys = {fold(text) for text in texts}
            things = [
                f for (n, _, k), f in self.model.facts.items() if entity and n == entity.number and k in keys
            ]
        elif what == "remove_aliases":
            payload = {"items": [{"entity": reference, "aliases": [other]}]}
            key = name_key(other)
            things = [
                a for (n, _, k), a in self.model.aliases.items() if entity and n == entity.number and k == key
            ]
        else:
            payload = {"relations": [{"from": reference, "type": word, "to": other}]}
            targets = self.owners(who, scope, other)
            if entity and len(targets) == 1:
                triple = (entity.number, type_key(word), targets[0].number)
                things = [r for key, r in self.model.relations.items() if key[:3] == triple]
        answer = self.call(who, what, scope=scope, **payload)
        assert answer["retired"] == self.model.retire(who, things), (what, payload, answer)
        assert answer.keys() == {"retired", "request_id", "bookmark"}

    # Reads --------------------------------------------------------------------------------------------------------

    def open(self, who: Who, names: list[str], *, neighbours: bool) -> None:
        """open_nodes, compared in full."""
        answer = self.call(who, "open_nodes", names=names, neighbours=neighbours, budget=LARGE)
        owners = [self.model.owners(who.read, who.home, name) for name in names]
        assert answer["missing"] == [name for name, found in zip(names, owners, strict=True) if not found]
        assert answer["ambiguous"] == [
            name for name, found in zip(names, owners, strict=True) if len(found) > 1
        ]
        opened = list({found[0].number: found[0] for found in owners if len(found) == 1}.values())
        assert [record["entity"]["id"] for record in answer["entities"]] == [entity.id for entity in opened]
        among = {entity.number for entity in opened}
        for record, entity in zip(answer["entities"], opened, strict=True):
            self._compare_opened(who, record, entity, among, neighbours=neighbours)

    def _compare_opened(
        self, who: Who, record: dict[str, Any], entity: Entity, among: set[int], *, neighbours: bool
    ) -> None:
        shown = record["entity"]
        assert (shown["name"], shown["kind"], shown["scope"]) == (entity.name, entity.kind, entity.scope)
        assert set(shown["aliases"]) == self.model.aliases_of(who.read, entity)
        facts = self.model.facts_of(who.read, entity)
        assert sorted((o["text"], o["scope"]) for o in record["observations"]) == sorted(
            (f.text, f.scope) for f in facts
        )
        expected, elsewhere = [], 0
        for relation in self.model.relations_of(who.read, entity):
            outgoing = relation.ends[0] == entity.number
            other = relation.ends[1] if outgoing else relation.ends[0]
            elsewhere += other not in among
            if (neighbours or other in among) and (outgoing or other not in among):
                direction = "out" if outgoing else "in"
                expected.append((relation.text, direction, self.model.entities[other].id, relation.scope))
        given = [(r["type"], r["direction"], r["entity"]["id"], r["scope"]) for r in record["relations"]]
        assert sorted(given) == sorted(expected)
        assert record["relations_elsewhere"] == elsewhere

    def search(self, who: Who, word: str, *, project: str | None) -> None:
        """search_nodes or search_by_project for a word that only facts hold: exactly the visible facts with it."""
        if project is None:
            visible = who.read
            answer = self.call(who, "search_nodes", query=word, budget=LARGE)
        else:
            visible = who.read & {project}
            answer = self.call(who, "search_by_project", query=word, project=project, budget=LARGE)
        facts = [
            f for f in self.model.facts.values() if self.model.sees(visible, f) and word in f.text.split()
        ]
        shown = [(o["text"], o["scope"]) for hit in answer["evidence"] for o in hit["observations"]]
        assert {fold(text).casefold() for text, _ in shown} == {fold(f.text).casefold() for f in facts}
        live = {e.id for e in self.model.entities.values() if self.model.sees(visible, e)}
        assert {hit["entity"]["id"] for hit in answer["evidence"]} <= live
        others = {r["entity"]["id"] for hit in answer["evidence"] for r in hit["relations"]}
        assert others <= live
        assert {scope for _, scope in shown} <= visible
        for hit in answer["evidence"]:
            entity = next(e for e in self.model.entities.values() if e.id == hit["entity"]["id"])
            assert set(hit["entity"]["aliases"]) == self.model.aliases_of(visible, entity)
        empty = not any(self.model.sees(visible, e) for e in self.model.entities.values())
        if not answer["evidence"]:
            shared_may_hold_something = project is None
            assert answer["accounting"]["status"] in ({"empty_graph"} if empty else {"no_match"}) | (
                {"no_match"} if shared_may_hold_something else set()
            )

    def point(self, who: Who, name: str) -> None:
        """Entity pointers for a name of one word."""
        answer = self.call(who, "search_nodes", query=name, pointers=True, budget=LARGE)
        items = answer["pointers"]["items"]
        chosen = self._pointed(who, name)
        assert answer["accounting"]["pointers"]["ambiguous"] == int(len(chosen) > 1)
        if len(chosen) != 1:
            assert items == []
            return
        facts, relations = (
            self.model.facts_of(who.read, chosen[0]),
            self.model.relations_of(who.read, chosen[0]),
        )
        item = items[0]
        assert (item["entity_id"], item["kind"], item["scope"]) == (
            chosen[0].id,
            chosen[0].kind,
            chosen[0].scope,
        )
        assert (item["observations"], item["relations"], item["tasks"]) == (len(facts), len(relations), 0)

    def _pointed(self, who: Who, name: str) -> list[Entity]:
        def has_something(entity: Entity) -> bool:
            return bool(self.model.facts_of(who.read, entity) or self.model.relations_of(who.read, entity))

        visible = [
            e for e in self.model.entities.values() if self.model.sees(who.read, e) and has_something(e)
        ]
        named = [(e, e.name) for e in visible if e.key == name_key(name)]
        aliased = [
            (self.model.entities[n], a.text)
            for (n, _, k), a in self.model.aliases.items()
            if k == name_key(name) and self.model.sees(who.read, a) and has_something(self.model.entities[n])
        ]
        for step in (named, aliased):
            exact = [e for e, text in step if " ".join(text.split()) == name]
            found = {e.number: e for e in (exact or [e for e, _ in step])}
            if found:
                return list(found.values())
        return []
