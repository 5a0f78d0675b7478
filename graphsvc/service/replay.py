"""Audit: is the log whole, and does the graph stand as the log says? (spec 08)

`verify` walks each chain with the key. `replay` rebuilds the state of every thing from the log alone and compares it
with the graph. Writers go on meanwhile: the graph is read first, and the log, sealed up to there, is followed for
each thing up to the revision that the graph showed; what still differs is looked at a second time.
"""

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from graphsvc.domain.chain import canonical, content_digest, seal_of
from graphsvc.graph import Graph
from graphsvc.service.sealing import audit_key, kept_heads, seal_all
from graphsvc.settings import Settings

_PAGE: Final = 1_000
_GOVERNANCE: Final = ("claim", "fact", "decision", "approval", "policy")
_KINDS: Final = (
    *("entity", "observation", "relation", "alias", "external_id", "work_item", "task_link"),
    *_GOVERNANCE,
)
_ENDS: Final = frozenset({"retire", "unlink", "reject", "erase"})
_BEGINS: Final = frozenset({"create", "revive", "upgrade"})
_PROPERTY_PREFIX: Final = "property_"


@dataclass(slots=True)
class ScopeReport:
    """What was found in one scope. Problems say where: the transition or thing, and what is wrong."""

    scope: str
    sealed: int = 0
    waiting: int = 0
    things: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def problem(self, what: str, /, **where: Any) -> None:
        """Note a problem."""
        self.problems.append({"problem": what, **where})


@dataclass(frozen=True, slots=True)
class Thing:
    """The state of one thing, its content as a digest."""

    kind: str
    revision: int
    live: bool
    digest: bytes


async def _chain(graph: Graph, scope: str) -> AsyncIterator[dict[str, Any]]:
    after = -1
    while True:
        rows = await graph.read(None, "audit/chain", chain=scope, after=after, page=_PAGE)
        for row in rows:
            after = row["entry"]["seq"]
            yield row["entry"]
        if len(rows) < _PAGE:
            return


async def verify(graph: Graph, settings: Settings, scopes: Sequence[str] | None = None) -> list[ScopeReport]:
    """Check chains against the key, their ends and the kept ends, and facts, approvals and decisions against the log.

    All scopes, or these.
    """
    key, kept = audit_key(settings), kept_heads(settings)
    reports: dict[str, ScopeReport] = {}
    for head in await _heads(graph, scopes):
        report = reports[head["scope"]] = ScopeReport(head["scope"])
        await _verify_chain(graph, key, report, head, kept.get(head["scope"], {}))
    for row in await graph.read(None, "audit/outside_the_chain"):
        if scopes is not None and row["scope"] not in scopes:
            continue
        report = reports.setdefault(row["scope"], ScopeReport(row["scope"]))
        report.waiting = row["waiting"]
        for transition_id in row["outside"]:
            report.problem("transition outside the chain", transition=transition_id)
    for report in await replay(graph, settings, scopes, kinds=_GOVERNANCE):
        found = reports.setdefault(report.scope, ScopeReport(report.scope))
        found.problems += report.problems
        found.things = report.things
    return list(reports.values())


async def _heads(graph: Graph, scopes: Sequence[str] | None) -> list[dict[str, Any]]:
    heads = await graph.read(None, "audit/heads")
    return [head for head in heads if scopes is None or head["scope"] in scopes]


async def _verify_chain(
    graph: Graph, key: bytes, report: ScopeReport, head: Mapping[str, Any], kept: Mapping[int, str]
) -> None:
    before, expected, erased, erasures = "", 1, [], set()
    seen = set()
    async for entry in _chain(graph, report.scope):
        where = {"seq": entry["seq"], "transition": entry["id"], "target": entry["target_id"]}
        if entry["seq"] != expected:
            report.problem("transitions are missing", after_seq=expected - 1, before_seq=entry["seq"])
        if seal_of(key, before, entry["seq"], entry, entry.get("content_sha256", "")) != entry.get("seal"):
            report.problem("the seal does not fit", **where)
        elif entry.get("salt") is None:
            erased.append(where)
        elif content_digest(entry, entry["salt"]) != entry["content_sha256"]:
            report.problem("the content was altered", **where)
        if entry["seq"] in kept and kept[entry["seq"]] != entry.get("seal"):
            report.problem("the seal is not the one that was kept outside", **where)
        if entry["op"] == "erase":
            erasures.add(entry["target_id"])
        seen.add(entry["seq"])
        before, expected = entry.get("seal", ""), entry["seq"] + 1
        report.sealed += 1
    for where in erased:
        if where["target"] not in erasures:
            report.problem("content is gone without an erasure on record", **where)
    if (expected - 1, before) != (head["seq"], head["seal"]):
        report.problem(
            "the chain does not end where it should", ends_at=expected - 1, should_end_at=head["seq"]
        )
    gone = sorted(seq for seq in kept if seq not in seen)
    if gone:
        report.problem("ends that were kept outside are not in the chain", seqs=gone[:20])


async def replay(
    graph: Graph, settings: Settings, scopes: Sequence[str] | None = None, kinds: Iterable[str] = _KINDS
) -> list[ScopeReport]:
    """Compare the state that the log leads to with the graph, scope by scope."""
    wanted = tuple(kinds)
    reports = []
    for head in await _heads(graph, scopes):
        report = await _replay_scope(graph, settings, head["scope"], wanted)
        if report.problems:
            # Something may have been written between the two readings: what is really different stays so.
            again = await _replay_scope(graph, settings, head["scope"], wanted)
            again.problems = [problem for problem in again.problems if problem in report.problems]
            report = again
        reports.append(report)
    return reports


async def _replay_scope(graph: Graph, settings: Settings, scope: str, kinds: tuple[str, ...]) -> ScopeReport:
    report = ScopeReport(scope)
    stands, names = await _graph_state(graph, scope, kinds)
    await seal_all(graph, settings)
    log = _Log(kinds, {thing_id: thing.revision for thing_id, thing in stands.items()})
    async for entry in _chain(graph, scope):
        log.take(entry)
        report.sealed += 1
    report.things = len(stands)
    for thing_id, thing in stands.items():
        wanted = log.things.get(thing_id)
        where = {"kind": thing.kind, "id": thing_id}
        if wanted is None:
            report.problem("not in the log", **where)
        elif wanted.revision != thing.revision:
            report.problem("another revision", **where, log=wanted.revision, graph=thing.revision)
        elif wanted.live != thing.live:
            report.problem("live in one of both only", **where, live_in_log=wanted.live)
        elif wanted.digest != thing.digest:
            report.problem("other content", **where)
    for thing_id, wanted in log.things.items():
        if thing_id not in stands and thing_id not in names.edges:
            report.problem("not in the graph", kind=wanted.kind, id=thing_id)
    for thing_id, count in log.gaps().items():
        report.problem("transitions are missing from its history", id=thing_id, missing=count)
    for entity_id, name in log.names.items():
        if names.by_entity.get(entity_id) != name:
            report.problem("the name has no key of its own", kind="alias", id=entity_id)
    report.problems.sort(key=lambda problem: (problem["problem"], str(problem.get("id"))))
    return report


@dataclass(slots=True)
class _Names:
    """Keys of entities' own names: they follow the entity, and have no history of their own."""

    by_entity: dict[str, str] = field(default_factory=dict)
    edges: set[str] = field(default_factory=set)


async def _graph_state(graph: Graph, scope: str, kinds: tuple[str, ...]) -> tuple[dict[str, Thing], _Names]:
    stands: dict[str, Thing] = {}
    names = _Names()
    for kind in kinds:
        after = ""
        while True:
            rows = await graph.read(None, f"audit/state_{kind}", chain=scope, after=after, page=_PAGE)
            for row in rows:
                content = row["content"]
                if kind == "alias":
                    if content.pop("primary"):
                        names.edges.add(row["id"])
                        if content["own_scope"]:
                            names.by_entity[content["entity_id"]] = content["text"]
                        continue
                    content.pop("own_scope")
                if kind == "relation":
                    content["properties"] = _own_properties(content["properties"])
                stands[row["id"]] = Thing(kind, row["revision"], row["live"], _digest(content))
            if len(rows) < _PAGE:
                break
            after = rows[-1]["id"]
    return stands, names


def _own_properties(properties: Mapping[str, Any]) -> dict[str, Any] | None:
    found = {
        name.removeprefix(_PROPERTY_PREFIX): value
        for name, value in properties.items()
        if name.startswith(_PROPERTY_PREFIX)
    }
    return found or None


def _digest(content: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(canonical(content)).digest()


class _Log:
    """Follows a scope's log: the last state of each thing, up to the revision that the graph showed of it."""

    def __init__(self, kinds: tuple[str, ...], up_to: Mapping[str, int]) -> None:
        self.things: dict[str, Thing] = {}
        self.names: dict[str, str] = {}
        self._kinds = frozenset(kinds)
        self._up_to = up_to
        self._revisions: dict[str, list[int]] = {}
        self._relations: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self._pending: dict[str, list[tuple[int, str, dict[str, Any] | None]]] = {}

    def take(self, entry: Mapping[str, Any]) -> None:
        """Follow one transition. The sealer may have put those of one thing out of order."""
        kind = "work_item" if entry["target_kind"] in {"task", "note"} else entry["target_kind"]
        thing_id, revision = entry["target_id"], entry["revision"]
        if kind not in self._kinds or revision > self._up_to.get(thing_id, revision):
            return
        if kind != "alias":
            self._revisions.setdefault(thing_id, []).append(revision)
        content = {
            name.removeprefix("after_"): value
            for name, value in entry.items()
            if name.startswith("after_") and value is not None
        }
        if kind == "relation" and content:
            content["properties"] = self._merged(thing_id, revision, content.get("properties"))
        before = self.things.get(thing_id, Thing(kind, 0, live=True, digest=_digest({})))
        if revision < before.revision:
            return
        if kind == "entity" and content:
            self.names[thing_id] = content["name"]
        live = entry["op"] not in _ENDS if entry["op"] in _ENDS | _BEGINS else before.live
        self.things[thing_id] = Thing(kind, revision, live, _digest(content) if content else before.digest)

    def _merged(self, thing_id: str, revision: int, properties: str | None) -> dict[str, Any] | None:
        """A relation revived with properties keeps those that it had."""
        known = self._relations.setdefault(thing_id, [])
        known.append((revision, orjson.loads(properties) if properties else {}))
        known.sort(key=lambda pair: pair[0])
        merged: dict[str, Any] = {}
        for _, each in known:
            merged |= each
        return merged or None

    def gaps(self) -> dict[str, int]:
        """Things whose history lacks transitions, with how many."""
        return {
            thing_id: max(revisions) - len(set(revisions))
            for thing_id, revisions in self._revisions.items()
            if max(revisions) != len(set(revisions))
        }
