"""Reads of the past: the state at an instant, from the transitions up to it, under today's grants (spec 01).

What `last_seen_at` was is not part of history, so it is null in these answers. Slower than reading the present: all
transitions of what is read are looked at, within the request's deadline.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from graphsvc import limits
from graphsvc.domain.names import name_key
from graphsvc.domain.times import iso
from graphsvc.errors import InvalidRequest, Problem
from graphsvc.graph import Row
from graphsvc.queries import Q
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.relations import PROPERTY_PREFIX
from graphsvc.service.tasks import TaskReferenceValue, WorkItemKind, work_item_row
from graphsvc.service.writing import ReferenceValue, reference_row

ENDS: Final = frozenset({"retire", "merge", "unlink", "reject", "erase"})
"""What a thing was not live after."""
_SETTLED: Final = timedelta(seconds=limits.AS_OF_AGE_S_MIN)


@dataclass(frozen=True, slots=True)
class PastEntity:
    """An entity that was live then. `aliases` are (scope, key, text), by the age of the lookup key."""

    id: str
    scope: str
    name: str
    kind: str | None
    aliases: Sequence[tuple[str, str, str]]

    @property
    def alias_texts(self) -> list[str]:
        """Its aliases as they are shown."""
        return list(dict.fromkeys(text for _, _, text in self.aliases))

    def owns(self, key: str, home_scope: str | None) -> int | None:
        """At which step of spec 01 a text with this key means it; None: it does not."""
        if name_key(self.name) == key:
            return 1 if self.scope == home_scope else 2
        scopes = [scope for scope, alias_key, _ in self.aliases if alias_key == key]
        return (3 if home_scope in scopes else 4) if scopes else None


@dataclass(frozen=True, slots=True)
class PastThing:
    """What a thing was: live or not, and its content (the names of `after_` in its transitions)."""

    is_live: bool
    content: Mapping[str, Any]
    ended_at: str | None
    ended_by: str | None


def past_instant(as_of: datetime, *, after: bool = False) -> str:
    """An instant as queries take it, or (`after`) the next one. Raises InvalidRequest for one that is not 2 s past."""
    if as_of > datetime.now(UTC) - _SETTLED:
        reason = f"must be at least {limits.AS_OF_AGE_S_MIN} s past"
        raise InvalidRequest(problems=[Problem("$.as_of", reason)])
    return iso(as_of + timedelta(microseconds=1) if after else as_of)


class Past:
    """The graph of one scope as it stood at an instant. Raises InvalidRequest for one that is not 2 s past."""

    def __init__(self, call: Call, scope: Scope, as_of: datetime) -> None:
        self._call = call
        self.scope = scope
        self.as_of = as_of
        self._as_of = past_instant(as_of)

    async def read(self, query: str, **params: object) -> list[Row]:
        """Run a query of the catalogue for this scope; one that takes `as_of` gets it."""
        if "as_of" in Q[query].params:
            params["as_of"] = self._as_of
        return await self._call.graph.read(self.scope, query, bookmarks=self._call.bookmarks, **params)

    async def states(self, ids: Iterable[str]) -> dict[str, PastThing]:
        """What became of things of any kind, by id; those that were not there yet are not in it."""
        rows = await self.read("past/states", ids=sorted(set(ids)))
        return {row["id"]: _thing(row["changes"]) for row in rows}

    async def work_item(self, kind: WorkItemKind, reference: TaskReferenceValue) -> str | None:
        """The id of the one live task or note that was meant by a reference; None where there were more, or none."""
        row = work_item_row(0, kind, reference)
        found = await self.read(
            "past/work_item_owners", id=row["id"], external_id=row["external_id"], kind=kind
        )
        states = await self.states(owner["id"] for owner in found)
        live = [owner for owner in found if owner["id"] in states and states[owner["id"]].is_live]
        first = [owner["id"] for owner in live if owner["step"] == min(one["step"] for one in live)]
        return first[0] if len(first) == 1 else None

    async def entities(self, ids: Sequence[str]) -> dict[str, PastEntity]:
        """Those of these that were live then, by id."""
        rows = await self.read("past/entities", ids=sorted(set(ids))) if ids else []
        found = {row["id"]: _entity(row) for row in rows}
        return {entity_id: entity for entity_id, entity in found.items() if entity is not None}

    async def resolve(self, references: Sequence[ReferenceValue]) -> list[list[str]]:
        """The ids of the owners of each reference, at the first step that had any."""
        rows = [reference_row(i, reference) for i, reference in enumerate(references)]
        answered = {row["index"]: row["owners"] for row in await self.read("past/owners", rows=rows)}
        live = await self.entities([owner for owners in answered.values() for owner in owners])
        home = self.scope.principal.default_scope
        found: list[list[str]] = []
        for row in rows:
            steps: dict[int, list[str]] = {}
            for owner in sorted(answered.get(row["index"], ())):
                if owner in live:
                    is_named = row["id"] == owner or row["external_id"] is not None
                    step = 0 if is_named else live[owner].owns(row["key"] or "", home)
                    if step is not None:
                        steps.setdefault(step, []).append(owner)
            if not steps and (row["id"] or row["external_id"]):
                steps[0] = await self._survivors(answered.get(row["index"], ()))
            found.append(steps[min(steps)] if steps else [])
        return found

    async def _survivors(self, ids: Sequence[str]) -> list[str]:
        """Those that answered then for entities that had been merged into them."""
        while ids:
            states = (await self.states(ids)).values()
            ids = [state.content["merged_into"] for state in states if state.content.get("merged_into")]
            live = await self.entities(ids)
            if live:
                return sorted(live)
        return []

    async def work_items(self) -> list[dict[str, Any]]:
        """Tasks and notes that were live then, with their content; the newest first, up to a number."""
        rows = await self.read("past/work_items", items_max=limits.PAST_WORK_ITEMS_MAX)
        items: list[dict[str, Any]] = rows[0]["items"]
        states = await self.states(item["id"] for item in items)
        return [
            {**item, **states[item["id"]].content}
            for item in items
            if item["id"] in states and states[item["id"]].is_live
        ]

    async def open(
        self, ids: Sequence[str], among: Sequence[str], after_observation: str, *, neighbours: bool
    ) -> list[Row]:
        """As the rows of `read/open_entities`, for the same parameters."""
        rows = await self.read(
            "past/parts",
            ids=list(ids),
            after_observation=after_observation,
            observations_max=limits.OPEN_OBSERVATIONS_PER_ENTITY_MAX,
        )
        parts = {row["id"]: row for row in rows}
        others = [relation["other"] for row in rows for relation in row["relations"]]
        others += [fact["object_id"] for row in rows for fact in row["facts"] if fact["object_id"]]
        live = await self.entities([*ids, *others])
        return [_opened(live[i], parts[i], live, set(among), neighbours) for i in ids if i in live]


def _thing(changes: Sequence[Row]) -> PastThing:
    told = [change for change in changes if _content(change)]
    content = _content(told[-1]) if told else {}
    last = changes[-1]
    if last["op"] not in ENDS:
        return PastThing(is_live=True, content=content, ended_at=None, ended_by=None)
    return PastThing(is_live=False, content=content, ended_at=last["at"], ended_by=last.get("principal"))


def _content(change: Row) -> dict[str, Any]:
    return {
        name.removeprefix("after_"): value
        for name, value in change.items()
        if name.startswith("after_") and value is not None
    }


def _entity(row: Row) -> PastEntity | None:
    changes = row["changes"]
    if not changes or changes[-1]["op"] in ENDS:
        return None
    names = [change for change in changes if change["name"] is not None]
    if not names:
        return None  # erased since, from the past too
    named = names[-1]
    renames = [change for change in changes if change["op"] == "update" and change["before_name"] is not None]
    aliases = []
    for key in row["names"]:
        text = _alias_text(key, renames if key["scope"] == row["scope"] else [])
        if text is not None and not (key["scope"] == row["scope"] and key["key"] == name_key(named["name"])):
            aliases.append((key["scope"], key["key"], text))
    return PastEntity(row["id"], row["scope"], named["name"], named["kind"], aliases)


def _alias_text(key: Row, renames: Sequence[Row]) -> str | None:
    """What an entity's lookup key said as an alias: added or retired itself, or a name that the entity gave up."""
    told = [
        (change["at"], None if change["op"] in {"retire", "erase"} else change["text"])
        for change in key["changes"]
    ]
    for rename in renames:
        if name_key(rename["name"]) != name_key(rename["before_name"]):
            if name_key(rename["before_name"]) == key["key"]:
                told.append((rename["at"], rename["before_name"]))
            elif name_key(rename["name"]) == key["key"]:
                told.append((rename["at"], None))
    told.sort(key=lambda change: datetime.fromisoformat(change[0]))
    return told[-1][1] if told else None


def _opened(
    entity: PastEntity, parts: Row, live: dict[str, PastEntity], among: set[str], neighbours: bool
) -> Row:
    relations = [relation for relation in parts["relations"] if relation["other"] in live]
    facts = [fact for fact in parts["facts"] if fact["object_id"] is None or fact["object_id"] in live]
    texts = sorted([*facts, *parts["observations"]], key=lambda text: str(text["id"]))
    shown = [
        relation_then(relation, live[relation["other"]])
        for relation in relations
        if (relation["direction"] == "out" and (neighbours or relation["other"] in among))
        or (relation["direction"] == "in" and neighbours and relation["other"] not in among)
    ]
    return {
        "entity": {
            "id": entity.id,
            "name": entity.name,
            "kind": entity.kind,
            "scope": entity.scope,
            "aliases": entity.alias_texts,
            "last_seen_at": None,
        },
        "observations": texts[: limits.OPEN_OBSERVATIONS_PER_ENTITY_MAX],
        "relations": shown[: limits.OPEN_RELATIONS_MAX],
        "relations_elsewhere": sum(relation["other"] not in among for relation in relations),
    }


def relation_then(relation: Row, other: PastEntity) -> Row:
    """A relation with the properties that it had, and the entity at its other end."""
    properties: dict[str, Any] = {}
    for given in relation["properties"]:
        properties |= {PROPERTY_PREFIX + name: value for name, value in orjson.loads(given).items()}
    return {
        **relation,
        "properties": list(properties.items()),
        "entity": {"id": other.id, "name": other.name, "kind": other.kind},
    }
