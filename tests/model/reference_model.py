"""What spec 01 to 04 say, once more, in plain dictionaries: the measure for the service, sharing no line with it.

Slow and short on purpose. A principal is a name with the scopes it may read and write; visibility is one rule, `sees`.
"""

import itertools
import unicodedata
from dataclasses import dataclass, field


def name_key(text: str) -> str:
    """The form under which names are unique."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def type_key(text: str) -> str:
    """The form under which relation types are one."""
    return "_".join(name_key(text).replace("-", " ").replace("_", " ").split())


def fold(text: str) -> str:
    """The form under which two facts about one thing are the same."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@dataclass(frozen=True)
class Who:
    """A principal."""

    name: str
    read: frozenset[str]
    write: frozenset[str]
    home: str


@dataclass
class Entity:
    """A named thing."""

    number: int
    scope: str
    name: str
    kind: str | None
    live: bool = True
    id: str = ""

    @property
    def key(self) -> str:
        """Its name's key."""
        return name_key(self.name)


@dataclass
class Part:
    """What hangs on entities: an observation, a relation or an alias, in a scope of its own."""

    scope: str
    text: str
    ends: tuple[int, ...]
    live: bool = True


@dataclass
class Model:
    """The whole graph."""

    entities: dict[int, Entity] = field(default_factory=dict)
    facts: dict[tuple[int, str, str], Part] = field(default_factory=dict)
    relations: dict[tuple[int, str, int, str], Part] = field(default_factory=dict)
    aliases: dict[tuple[int, str, str], Part] = field(default_factory=dict)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    # Seeing -------------------------------------------------------------------------------------------------------

    def sees(self, visible: frozenset[str], thing: Entity | Part) -> bool:
        """Its own scope is visible, it is live, and so is everything it hangs on."""
        ends = [self.entities[end] for end in thing.ends] if isinstance(thing, Part) else []
        return thing.live and thing.scope in visible and all(self.sees(visible, end) for end in ends)

    def owners(self, visible: frozenset[str], home: str, text: str) -> list[Entity]:
        """Who is meant by a text: the owners at the first step that has any."""
        key = name_key(text)
        named = [e for e in self.entities.values() if e.key == key and self.sees(visible, e)]
        aliased = [a for (_, _, k), a in self.aliases.items() if k == key and self.sees(visible, a)]
        steps = (
            [e for e in named if e.scope == home],
            named,
            [self.entities[a.ends[0]] for a in aliased if a.scope == home],
            [self.entities[a.ends[0]] for a in aliased],
        )
        for step in steps:
            if step:
                return list({e.number: e for e in step}.values())
        return []

    def facts_of(self, visible: frozenset[str], entity: Entity) -> list[Part]:
        """Its visible live observations."""
        return [f for (n, _, _), f in self.facts.items() if n == entity.number and self.sees(visible, f)]

    def relations_of(self, visible: frozenset[str], entity: Entity) -> list[Part]:
        """Its visible live relations, in both directions."""
        return [r for r in self.relations.values() if entity.number in r.ends and self.sees(visible, r)]

    def aliases_of(self, visible: frozenset[str], entity: Entity) -> set[str]:
        """Its visible live other names."""
        return {
            a.text for (n, _, _), a in self.aliases.items() if n == entity.number and self.sees(visible, a)
        }

    # Writing ------------------------------------------------------------------------------------------------------

    def create_entity(self, who: Who, scope: str, name: str, kind: str | None) -> tuple[str, Entity | None]:
        """Outcome and the entity meant."""
        key = name_key(name)
        own = next((e for e in self.entities.values() if (e.scope, e.key) == (scope, key)), None)
        if own is None:
            others = [
                e
                for e in self.entities.values()
                if e.key == key and e.scope != scope and self.sees(who.read | {scope}, e)
            ]
            if len(others) > 1:
                return "ambiguous", None
            if others:
                return "existing", others[0]
            own = Entity(next(self.numbers), scope, name, kind)
            self.entities[own.number] = own
            return "created", own
        outcome = "existing" if own.live else "revived"
        own.live, own.kind = True, own.kind or kind
        return outcome, own

    @staticmethod
    def _put(parts: dict, key: tuple, part: Part, made: str, again: str) -> str:  # type: ignore[type-arg]
        known = parts.get(key)
        if known is None:
            parts[key] = part
            return made
        outcome = again if known.live else "revived"
        known.live = True
        return outcome

    def add_fact(self, scope: str, entity: Entity, text: str) -> str:
        """Outcome of one text."""
        part = Part(scope, text, (entity.number,))
        return self._put(self.facts, (entity.number, scope, fold(text)), part, "added", "duplicate")

    def add_alias(self, scope: str, entity: Entity, text: str) -> str:
        """Outcome of one other name."""
        if name_key(text) == entity.key:
            return "existing"
        key = (entity.number, scope, name_key(text))
        outcome = self._put(self.aliases, key, Part(scope, text, (entity.number,)), "added", "existing")
        if outcome == "revived":
            self.aliases[key].text = text
        return outcome

    def is_shared(self, visible: frozenset[str], entity: Entity, text: str) -> bool:
        """Whether another visible live entity has the text as a name or an alias."""
        key = name_key(text)
        named = {e.number for e in self.entities.values() if e.key == key and self.sees(visible, e)}
        aliased = {n for (n, _, k), a in self.aliases.items() if k == key and self.sees(visible, a)}
        return bool((named | aliased) - {entity.number})

    def relate(self, scope: str, source: Entity, relation_type: str, target: Entity) -> str:
        """Outcome of one relation between two entities that were found."""
        if source.number == target.number:
            return "invalid"
        key = (source.number, type_key(relation_type), target.number, scope)
        part = Part(scope, relation_type, (source.number, target.number))
        return self._put(self.relations, key, part, "created", "existing")

    def rename(self, who: Who, entity: Entity, name: str | None, kind: str | None) -> str:
        """Outcome of a new name and kind for an entity that was found."""
        if entity.scope not in who.write:
            return "skipped"
        if name is not None and name_key(name) != entity.key:
            taken = any((e.scope, e.key) == (entity.scope, name_key(name)) for e in self.entities.values())
            if taken:
                return "conflict"
            self.aliases.pop((entity.number, entity.scope, name_key(name)), None)
            old = (entity.number, entity.scope, entity.key)
            self.aliases[old] = Part(entity.scope, entity.name, (entity.number,))
        entity.name, entity.kind = name or entity.name, kind or entity.kind
        return "updated"

    def retire(self, who: Who, things: list[Entity | Part]) -> int:
        """How many of these were live and writable."""
        chosen = [thing for thing in things if thing.live and thing.scope in who.write]
        for thing in chosen:
            thing.live = False
        return len(chosen)
