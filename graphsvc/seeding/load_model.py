"""What a load must lead to, worked out in memory: the expected half of seeds/MANIFEST.json.

A second, small statement of the rules of spec 01 and 02 for one loader who sees every scope and may write to
all of them, into an empty database. It exists to be compared with the real load: it reads no query and calls
no service.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from graphsvc.domain.names import name_key, observation_fold, relation_type_key
from graphsvc.importers import Record

Triple = tuple[int, str, int, str]
"""From, type key, to, scope: entities by their number in the model."""


@dataclass(eq=False)
class _Entity:
    """An entity; `observations` maps (scope, folded text) to whether it is live."""

    scope: str
    key: str
    live: bool = True
    alias_keys: set[str] = field(default_factory=set)
    observations: dict[tuple[str, str], bool] = field(default_factory=dict)


class LoadModel:
    """Takes records in the order of the file; `outcomes()` and `graph()` then say what must be there."""

    def __init__(self) -> None:
        self._scopes = {"shared"}  # there from the start
        self._entities: list[_Entity] = []
        self._relations: dict[Triple, bool] = {}
        self._outcomes: Counter[tuple[str, str]] = Counter()

    def take(self, record: Record) -> None:
        """Carry out one record of the load format. Raises KeyError on a record that is not well-formed."""
        getattr(self, f"_take_{record['record']}")(record)

    def outcomes(self) -> dict[str, dict[str, int]]:
        """Counts per kind of thing and outcome: {"entity": {"created": …}, …, "retired": {"entities": …}}."""
        counts: dict[str, dict[str, int]] = {}
        for (kind, outcome), number in sorted(self._outcomes.items()):
            counts.setdefault(kind, {})[outcome] = number
        return counts

    def graph(self) -> dict[str, int]:
        """What is there. `retired`: by itself; `visible`: neither by itself nor by what it hangs on."""
        live = {number for number, entity in enumerate(self._entities) if entity.live}
        observations = [
            (number in live, is_live)
            for number, entity in enumerate(self._entities)
            for is_live in entity.observations.values()
        ]
        visible = [is_live and {from_, to} <= live for (from_, _, to, _), is_live in self._relations.items()]
        owners = Counter(
            (entity.scope, key) for entity in self._entities if entity.live for key in entity.alias_keys
        )
        return {
            "scopes": len(self._scopes),
            "entities": len(self._entities),
            "entities_retired": len(self._entities) - len(live),
            "observations": len(observations),
            "observations_retired": sum(not is_live for _, is_live in observations),
            "observations_visible": sum(map(all, observations)),
            "relations": len(self._relations),
            "relations_retired": sum(not is_live for is_live in self._relations.values()),
            "relations_visible": sum(visible),
            "aliases": sum(len(entity.alias_keys) for entity in self._entities),
            "aliases_ambiguous_in_their_scope": sum(number > 1 for number in owners.values()),
            "aliases_ambiguous_over_all_scopes": sum(
                number > 1 for number in _summed_over_scopes(owners).values()
            ),
        }

    def _count(self, kind: str, outcome: str, number: int = 1) -> None:
        if number:
            self._outcomes[kind, outcome] += number

    def _take_scope(self, record: Record) -> None:
        self._count("scope", "existing" if record["id"] in self._scopes else "created")
        self._scopes.add(record["id"])

    def _take_entity(self, record: Record) -> None:
        scope, key = record["scope"], name_key(record["name"])
        own = self._named(key, scope)
        others = self._named_elsewhere(key, scope) if record.get("resolve") != "own_scope" else []
        if own:
            entity = own[0]
            self._count("entity", "existing" if entity.live else "revived")
            entity.live = True
        elif len(others) > 1:
            self._count("entity", "ambiguous")
            return
        elif others:
            entity = others[0]
            self._count("entity", "existing")
        else:
            entity = _Entity(scope, key)
            self._entities.append(entity)
            self._count("entity", "created")
        self._add_aliases(entity, record.get("aliases", []))
        self._add_observations(entity, scope, record.get("observations", []))

    def _take_observations(self, record: Record) -> None:
        if entity := self._refer(record["entity"], record["scope"]):
            self._add_observations(entity, record["scope"], record["contents"])
        else:
            self._count("observations", "skipped")

    def _take_aliases(self, record: Record) -> None:
        if entity := self._refer(record["entity"], record["scope"]):
            self._add_aliases(entity, record["aliases"])
        else:
            self._count("aliases", "skipped")

    def _take_relation(self, record: Record) -> None:
        triple = self._triple(record, record["scope"])
        if triple is None:
            self._count("relation", "skipped")
            return
        is_live = self._relations.get(triple)
        self._count("relation", {None: "created", True: "existing", False: "revived"}[is_live])
        self._relations[triple] = True

    def _take_retire_entities(self, record: Record) -> None:
        for name in record["names"]:
            entity = self._refer(name, record["scope"])
            if entity:
                entity.live = False
            self._count("retired", "entities", int(entity is not None))

    def _take_retire_observations(self, record: Record) -> None:
        entity = self._refer(record["entity"], record["scope"])
        for text in record["contents"] if entity else []:
            key = record["scope"], observation_fold(text)
            if entity and entity.observations.get(key):
                entity.observations[key] = False
                self._count("retired", "observations")

    def _take_retire_relations(self, record: Record) -> None:
        for relation in record["relations"]:
            triple = self._triple(relation, record["scope"])
            if triple and self._relations.get(triple):
                self._relations[triple] = False
                self._count("retired", "relations")

    def _add_aliases(self, entity: _Entity, aliases: list[str]) -> None:
        for alias in aliases:
            key = name_key(alias)
            self._count("alias", "existing" if key in entity.alias_keys else "added")
            entity.alias_keys.add(key)

    def _add_observations(self, entity: _Entity, scope: str, contents: list[Any]) -> None:
        for content in contents:
            text = content if isinstance(content, str) else content["text"]
            key = scope, observation_fold(text)
            is_live = entity.observations.get(key)
            self._count("observation", {None: "added", True: "duplicate", False: "revived"}[is_live])
            entity.observations[key] = True

    def _triple(self, relation: Record, scope: str) -> Triple | None:
        from_, to = (self._refer(relation[end], scope) for end in ("from", "to"))
        if from_ is None or to is None:
            return None
        return (
            self._entities.index(from_),
            relation_type_key(relation["type"]),
            self._entities.index(to),
            scope,
        )

    def _refer(self, text: str, scope: str) -> _Entity | None:
        """The one owner at the first step that has owners (spec 01); a retired entity owns nothing."""
        for step in self._reference_steps(name_key(text), scope):
            live = [entity for entity in step if entity.live]
            if live:
                return live[0] if len(live) == 1 else None
        return None

    def _reference_steps(self, key: str, scope: str) -> Iterator[list[_Entity]]:
        aliased = [entity for entity in self._entities if key in entity.alias_keys]
        yield self._named(key, scope)
        yield self._named_elsewhere(key, scope)
        yield [entity for entity in aliased if entity.scope == scope]
        yield [entity for entity in aliased if entity.scope != scope]

    def _named(self, key: str, scope: str) -> list[_Entity]:
        return [entity for entity in self._entities if entity.key == key and entity.scope == scope]

    def _named_elsewhere(self, key: str, scope: str) -> list[_Entity]:
        return [e for e in self._entities if e.key == key and e.scope != scope and e.live]


def _summed_over_scopes(owners: Counter[tuple[str, str]]) -> Counter[str]:
    totals: Counter[str] = Counter()
    for (_, key), number in owners.items():
        totals[key] += number
    return totals
