"""A large graph of any size, for benchmarks and tests: the same bytes for the same options, everywhere.

    python -m graphsvc.seeding.generate --entities 100000 --seed 7 --scopes 20 -o large.jsonl

Promises, each with a test:

- *Determinism.* Everything random about entity number `i` is read from SHAKE-128 over (seed, i), and all
  arithmetic is on integers: no generator of the language, no hash order, no float.
- *Prefix.* A file is the scopes, then blocks of 1,000 entities, each followed by the relations of its
  entities, which lead to earlier entities only. So, for otherwise equal options, a file with N entities, N a
  multiple of 1,000, is a prefix of every file with more: a graph can be grown by loading the larger file.
- *Shape.* Names are unique. The first scope holds 40 % of the entities, the others share the rest.
  Observations per entity spread from a quarter of the mean to four times the mean, and so do relations; words
  follow Zipf's law; one observation in eight names an earlier entity of its scope, one in three has a date.
  Relations stay in their scope and prefer early entities, so that degrees have a long tail. Some entities
  have a code as an alias, some a short name that others may share.
- *Hub.* With a hub degree of D, entity 0 lies in the first scope and has exactly D relations, all incoming.
- *Streaming.* Memory grows by one name per entity.
"""

import hashlib
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import orjson
import typer

from graphsvc.importers import Record
from graphsvc.seeding.entity_names import NUMBERS_MAX, entity_name, short_name
from graphsvc.seeding.vocabulary import ZIPF_TABLE

BLOCK_ENTITIES: Final = 1_000
FIRST_SCOPE_PERCENT: Final = 40
HUB_PERCENT_MAX: Final = 30
"""The neighbours of the hub are in its scope, which holds 40 % of the entities, more or less."""

_SPREAD: Final = (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 8, 16)
"""Quarters of the mean, drawn evenly; they average four quarters, which is the mean."""
_MEAN_MAX: Final = 200
"""Four times this many observations still fit one record."""

_KINDS: Final = (
    *("person", "person", "person", "person", "organization", "organization", "organization"),
    *("artifact", "artifact", "artifact", "place", "place", "concept", "event", "event", "decision"),
)
_RELATION_TYPES: Final = (
    *("supplies", "works for", "located in", "part of", "uses", "knows", "mentions", "replaces"),
    *("attended", "owns", "requires", "decided by", "reports to", "competes with", "prints", "delivers to"),
)
_HUB_RELATION_TYPE: Final = "part of"
_FIRST_DAY: Final = date(2023, 1, 1)
_DAYS: Final = tuple((_FIRST_DAY + timedelta(days=number)).isoformat() for number in range(1_024))

# What is read from the random bytes. An entity: scope, kind, spreads of relations and of observations,
# aliases, variant of the name, and which of the other scopes. An observation: length, date, mention, and up
# to 19 words. A relation: two numbers whose product prefers early entities, and the type.
_ENTITY: Final = struct.Struct("<6HI")
_OBSERVATION_PAIRS: Final = 22
_WORDS_MIN, _WORDS_MAX = 6, 19
_RELATION: Final = struct.Struct("<2IH")


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What to generate. Means are counted in thousandths, as no float may decide a byte.

    Raises ValueError, naming the option, for what cannot be generated.
    """

    entities: int
    seed: int = 7
    scopes: int = 20
    observations_per_entity_milli: int = 4_500
    relations_per_entity_milli: int = 2_000
    hub_degree: int = 0

    def __post_init__(self) -> None:
        bounds = {
            "entities": (self.entities, 1, NUMBERS_MAX),
            "seed": (self.seed, 0, 2**63 - 1),
            "scopes": (self.scopes, 1, 999),
            "observations_per_entity_milli": (self.observations_per_entity_milli, 0, _MEAN_MAX * 1_000),
            "relations_per_entity_milli": (self.relations_per_entity_milli, 0, _MEAN_MAX * 1_000),
            "hub_degree": (self.hub_degree, 0, self.entities * HUB_PERCENT_MAX // 100),
        }
        for name, (value, least, most) in bounds.items():
            if not least <= value <= most:
                raise ValueError(f"{name} must be between {least} and {most}, is {value}")


class _Traits(NamedTuple):
    """What the random bytes say about one entity."""

    scope: int
    kind: str
    relations_spread: int
    observations_spread: int
    alias_choice: int
    name_variant: int


@dataclass(slots=True)
class _Carry:
    """Turns a mean and spreads into whole numbers, carrying what is left over to the next."""

    mean_milli: int
    rest: int = 0

    def take(self, spread_quarters: int) -> int:
        number, self.rest = divmod(self.rest + self.mean_milli * spread_quarters, 4_000)
        return number


class _Graph:
    """The graph as it grows, entity by entity in the order of their numbers."""

    def __init__(self, options: GraphOptions) -> None:
        self._options = options
        self._names: list[list[str]] = [[] for _ in range(options.scopes)]
        self._observation_counts = _Carry(options.observations_per_entity_milli)
        self._relation_counts = _Carry(options.relations_per_entity_milli)
        self._name_offset = int.from_bytes(self._random_bytes("names", 0, 3), "little")
        self._hub_relations_left = options.hub_degree

    def records(self) -> Iterator[Record]:
        """Scopes, then block by block entities and their relations."""
        for scope in range(self._options.scopes):
            yield {"record": "scope", "id": _scope_id(scope), "title": f"Generated {scope + 1:03}"}
        for first in range(0, self._options.entities, BLOCK_ENTITIES):
            block = range(first, min(first + BLOCK_ENTITIES, self._options.entities))
            relations: list[Record] = []
            for number in block:
                traits = self._traits(number)
                name = entity_name(number, self._name_offset, traits.kind, traits.name_variant)
                yield self._entity(number, name, traits)
                relations += self._relations(number, name, traits)
                self._names[traits.scope].append(name)
            yield from relations
        if self._hub_relations_left:
            raise ValueError("hub_degree is larger than the first scope; generate more entities")

    def _random_bytes(self, part: str, number: int, size: int) -> bytes:
        seed = f"graphsvc/{self._options.seed}/{part}/{number}"
        return hashlib.shake_128(seed.encode("ascii")).digest(size)

    def _traits(self, number: int) -> _Traits:
        numbers = _ENTITY.unpack(self._random_bytes("entity", number, _ENTITY.size))
        scope_draw, kind, relations, observations, aliases, variant, other_scope = numbers
        in_first = scope_draw * 100 < FIRST_SCOPE_PERCENT << 16 or self._options.scopes == 1
        if self._options.hub_degree and number == 0:
            in_first = True
        return _Traits(
            scope=0 if in_first else 1 + other_scope * (self._options.scopes - 1) // 2**32,
            kind=_KINDS[kind % len(_KINDS)],
            relations_spread=_SPREAD[relations % len(_SPREAD)],
            observations_spread=_SPREAD[observations % len(_SPREAD)],
            alias_choice=aliases % 20,
            name_variant=variant,
        )

    def _entity(self, number: int, name: str, traits: _Traits) -> Record:
        return {
            "record": "entity",
            "scope": _scope_id(traits.scope),
            "name": name,
            "kind": traits.kind,
            "aliases": self._aliases(number, traits),
            "observations": self._observations(number, traits),
        }

    def _aliases(self, number: int, traits: _Traits) -> list[str]:
        """None for 8 in 20; else a code (6), a short name (5) or both (1)."""
        aliases = []
        if 8 <= traits.alias_choice < 14 or traits.alias_choice == 19:
            aliases.append(f"{traits.kind[0].upper()}-{number:07}")
        if traits.alias_choice >= 14:
            aliases.append(short_name(number, self._name_offset, traits.kind, traits.name_variant))
        return aliases

    def _observations(self, number: int, traits: _Traits) -> list[Any]:
        count = self._observation_counts.take(traits.observations_spread)
        pairs = _OBSERVATION_PAIRS * count
        draws = struct.unpack(f"<{pairs}H", self._random_bytes("observations", number, 2 * pairs))
        earlier = self._names[traits.scope]
        contents: list[Any] = []
        for start in range(0, pairs, _OBSERVATION_PAIRS):
            length, day, mention = draws[start : start + 3]
            words = draws[start + 3 : start + 3 + _WORDS_MIN + length % (_WORDS_MAX - _WORDS_MIN + 1)]
            text = " ".join([ZIPF_TABLE[word] for word in words]).capitalize()
            if mention % 8 == 0 and earlier:
                text += f" {earlier[mention * len(earlier) >> 16]}"
            text += "."
            contents.append(text if day % 3 else {"text": text, "observed_at": _instant(day // 3)})
        return contents

    def _relations(self, number: int, name: str, traits: _Traits) -> list[Record]:
        """The relations of an entity to earlier ones: no triple twice."""
        earlier = self._names[traits.scope]
        count = self._relation_counts.take(traits.relations_spread)
        draws = self._random_bytes("relations", number, _RELATION.size * count)
        ends_from = 0
        triples: dict[tuple[str, str], None] = {}
        if self._options.hub_degree and traits.scope == 0:
            ends_from = 1  # nothing else leads to the hub
            if earlier and self._hub_relations_left:
                self._hub_relations_left -= 1
                triples[earlier[0], _HUB_RELATION_TYPE] = None
        choices = len(earlier) - ends_from
        for one, other, type_draw in _RELATION.iter_unpack(draws) if choices > 0 else ():
            end = earlier[ends_from + (one * other * choices >> 64)]
            triples[end, _RELATION_TYPES[type_draw % len(_RELATION_TYPES)]] = None
        scope = _scope_id(traits.scope)
        return [
            {"record": "relation", "scope": scope, "from": name, "type": type_, "to": end}
            for end, type_ in triples
        ]


def _scope_id(scope: int) -> str:
    return f"project:generated-{scope + 1:03}"


def _instant(draw: int) -> str:
    return f"{_DAYS[draw % len(_DAYS)]}T{draw // len(_DAYS):02}:00:00Z"


def generate_records(options: GraphOptions) -> Iterator[Record]:
    """Yield the records of the graph in the order of the file.

    Raises ValueError at the end when the first scope turned out too small for the hub.
    """
    return _Graph(options).records()


def write_graph(options: GraphOptions, path: Path) -> dict[str, Any]:
    """Write the graph as a load file; return its records per kind, observations, bytes and sha256."""
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for record in generate_records(options):
            line = orjson.dumps(record) + b"\n"
            file.write(line)
            digest.update(line)
            counts[record["record"]] += 1
            counts["observations"] += len(record.get("observations", ()))
        size_bytes = file.tell()
    return {**dict(sorted(counts.items())), "bytes": size_bytes, "sha256": digest.hexdigest()}


def main(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    entities: Annotated[int, typer.Option(help="How many entities.")],
    seed: Annotated[int, typer.Option(help="Another seed, another graph.")] = 7,
    scopes: Annotated[
        int, typer.Option(help="How many projects; the first holds 40 % of the entities.")
    ] = 20,
    observations_per_entity: Annotated[float, typer.Option(help="The mean.")] = 4.5,
    relations_per_entity: Annotated[float, typer.Option(help="The mean.")] = 2.0,
    hub_degree: Annotated[int, typer.Option(help="Relations of entity 0; 0: no hub.")] = 0,
) -> None:
    """Write a large graph as a load file, and say what is in it."""
    try:
        options = GraphOptions(
            entities=entities,
            seed=seed,
            scopes=scopes,
            observations_per_entity_milli=round(observations_per_entity * 1_000),
            relations_per_entity_milli=round(relations_per_entity * 1_000),
            hub_degree=hub_degree,
        )
        summary = write_graph(options, output)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(orjson.dumps(summary).decode())


if __name__ == "__main__":
    typer.run(main)
