"""Audit: is the log whole, and does the graph stand as the log says? (spec 08)

`verify` walks each chain with the key. `replay` rebuilds the state of every thing from the log alone and compares it
with the graph. Writers go on meanwhile: the graph is read first, and the log, sealed up to there, is followed for
each thing up to the revision that the graph showed; what still differs is looked at a second time.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from graphsvc.domain.chain import canonical, content_digest, seal_of
from graphsvc.graph import Graph
from graphsvc.service.sealing import audit_key, kept_heads, seal_all
from graphsvc.settings import Settings

_PAGE: Final = 1_000
_GOVERNANCE: Final = ("claim", "fact", "decision", "approval", "policy")
KINDS: Final = (
    *("entity", "observation", "relation", "alias", "external_id", "work_item", "task_link", "document"),
    *("candidate", "support"),
    *_GOVERNANCE,
)
_ENDS: Final = frozenset({"retire", "unlink", "reject", "merge", "erase"})
_BEGINS: Final = frozenset({"create", "revive", "upgrade", "unmerge"})
_PROPERTY_PREFIX: Final = "property_"
_WITHOUT_CREATION: Final = frozenset({"alias"})
"""An entity's own name may become an alias: the alias then is older than its history."""
_WITHOUT_CHANGE: Final = frozenset({"external_id", "decision", "approval", "policy"})
"""Kinds that do not say when and by whom they were changed last."""
_NOBODY: Final = (None, None)


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
    """The state of one thing. Times and principals are null where its kind does not keep them."""

    kind: str
    revision: int
    live: bool
    content: object
    """Its content's digest or, if that was asked for, the content itself."""
    coherent: bool = True
    """Whether its edges, and what is derived from its content, are as the content says."""
    created: tuple[Any, str | None] = _NOBODY
    updated: tuple[Any, str | None] = _NOBODY

    def differences(self, other: "Thing") -> list[str]:
        """In what two states of one thing differ, in words."""
        found = [
            (self.revision != other.revision, "another revision"),
            (self.live != other.live, "live in one of both only"),
            (self.content != other.content, "other content"),
            (self.coherent != other.coherent, "edges or derived properties do not fit the content"),
            (self.created != other.created, "created at another time or by another"),
            (self.updated != other.updated, "changed at another time or by another"),
        ]
        return [what for differs, what in found if differs]


async def chain(graph: Graph, scope: str) -> AsyncIterator[dict[str, Any]]:
    """The entries of a scope's chain, in order."""
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
    for head in await heads(graph, scopes):
        report = reports[head["scope"]] = ScopeReport(head["scope"])
        await _verify_chain(graph, key, report, head, kept.get(head["scope"], {}))
        for row in await graph.read(None, "audit/origins_astray", chain=report.scope, page=_PAGE):
            where = {"seq": row["seq"], "transition": row["id"], "target": row["target_id"]}
            report.problem("session, tool, chunk or source is not the one it names", **where)
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


async def heads(graph: Graph, scopes: Sequence[str] | None) -> list[dict[str, Any]]:
    """The ends of the chains: of all scopes, or of these."""
    found = await graph.read(None, "audit/heads")
    return [head for head in found if scopes is None or head["scope"] in scopes]


async def chains(graph: Graph) -> list[dict[str, Any]]:
    """Of each scope the end of its chain and how many transitions are `waiting` to be sealed, as of one instant.

    Both are read again when a sealer moved a chain meanwhile: what it sealed would be missing, or be counted twice.
    """
    before = await heads(graph, None)
    while True:
        rows = await graph.read(None, "audit/outside_the_chain")
        after = await heads(graph, None)
        if after == before:
            waiting = {row["scope"]: row["waiting"] for row in rows}
            return [{**head, "waiting": waiting.get(head["scope"], 0)} for head in after]
        before = after


async def _verify_chain(
    graph: Graph, key: bytes, report: ScopeReport, head: Mapping[str, Any], kept: Mapping[int, str]
) -> None:
    before, expected, erased, erasures = "", 1, [], set()
    seen = set()
    async for entry in chain(graph, report.scope):
        where = {"seq": entry["seq"], "transition": entry.get("id"), "target": entry.get("target_id")}
        if entry["seq"] != expected:
            report.problem("transitions are missing", after_seq=expected - 1, before_seq=entry["seq"])
        if seal_of(key, before, entry["seq"], entry, entry.get("content_sha256", "")) != entry.get("seal"):
            report.problem("the seal does not fit", **where)
        elif entry.get("salt") is None:
            erased.append(where)
        elif not _content_fits(entry):
            report.problem("the content was altered", **where)
        if entry["seq"] in kept and kept[entry["seq"]] != entry.get("seal"):
            report.problem("the seal is not the one that was kept outside", **where)
        if entry.get("op") == "erase":
            erasures.add(entry.get("target_id"))
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


def _content_fits(entry: Mapping[str, Any]) -> bool:
    try:
        return content_digest(entry, entry["salt"]) == entry.get("content_sha256")
    except ValueError:  # no salt that was ever made
        return False


async def replay(
    graph: Graph, settings: Settings, scopes: Sequence[str] | None = None, kinds: Iterable[str] = KINDS
) -> list[ScopeReport]:
    """Compare the state that the log leads to with the graph, scope by scope."""
    wanted = tuple(kinds)
    reports = []
    for head in await heads(graph, scopes):
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
    stands, names = await graph_state(graph, scope, kinds)
    await seal_all(graph, settings)
    log = Log(kinds, {thing_id: thing.revision for thing_id, thing in stands.items()})
    async for entry in chain(graph, scope):
        log.take(entry)
        report.sealed += 1
    report.things = len(stands)
    told = log.things
    for thing_id, thing in stands.items():
        wanted = told.get(thing_id)
        for what in ["not in the log"] if wanted is None else wanted.differences(thing):
            report.problem(what, kind=thing.kind, id=thing_id)
    for thing_id, wanted in told.items():
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
class Names:
    """Keys of entities' own names: they follow the entity, and have no history of their own."""

    by_entity: dict[str, str] = field(default_factory=dict)
    edges: set[str] = field(default_factory=set)


async def graph_state(graph: Graph, scope: str, kinds: tuple[str, ...]) -> tuple[dict[str, Thing], Names]:
    """What stands in a scope, by id, and the keys of entities' own names."""
    stands: dict[str, Thing] = {}
    names = Names()
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
                stands[row["id"]] = Thing(
                    kind,
                    row["revision"],
                    row["live"],
                    digest(content),
                    row["coherent"] and _evidence_fits(kind, row),
                    (row["created_at"], row["created_by"]),
                    (row["updated_at"], row["updated_by"]),
                )
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


def _json(text: str | None) -> Any:
    """What a JSON text says; nothing if it is none any more."""
    try:
        return orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}


def _evidence_fits(kind: str, row: Mapping[str, Any]) -> bool:
    """Whether the evidence that hangs on a claim is what the claim says it stands on."""
    if kind != "claim":
        return True
    said = _json(row["content"]["evidence"])
    parts: list[dict[str, Any]] = row["evidence"]
    return [{**part, "id": f"{row['id']}/{n}"} for n, part in enumerate(said)] == parts


def digest(content: Mapping[str, Any]) -> bytes:
    """The digest of a content, whatever the order of its properties."""
    return hashlib.sha256(canonical(content)).digest()


@dataclass(slots=True)
class _Course:
    """What the log tells of one thing, so far. Pairs begin with the revision of the transition that told."""

    kind: str
    said: tuple[int, object]
    live: tuple[int, bool] = (0, True)
    created: tuple[int, tuple[Any, str | None]] = (2**63, _NOBODY)
    updated: tuple[int, tuple[Any, str | None]] = (0, _NOBODY)
    revisions: set[int] = field(default_factory=set)
    properties: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Of a relation: what each transition that brought some brought."""
    merges: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Of an entity: the transitions that merged it and took that back."""

    def thing(self) -> Thing:
        return Thing(
            self.kind,
            self.updated[0],
            self.live[1],
            self.said[1],
            created=_NOBODY if self.kind in _WITHOUT_CREATION else self.created[1],
            updated=_NOBODY if self.kind in _WITHOUT_CHANGE else self.updated[1],
        )


class Log:
    """Follows a scope's log: the last state of each thing, up to the revision that the graph showed of it.

    `keep` is what is kept of a content: its digest, unless the content itself is wanted.
    """

    def __init__(
        self,
        kinds: tuple[str, ...],
        up_to: Mapping[str, int],
        keep: Callable[[Mapping[str, Any]], object] = digest,
    ) -> None:
        self.names: dict[str, str] = {}
        self._courses: dict[str, _Course] = {}
        self._kinds = frozenset(kinds)
        self._up_to = up_to
        self._keep = keep

    def take(self, entry: Mapping[str, Any]) -> None:
        """Follow one transition. The sealer may have put those of one thing out of order.

        One that is tampered with may lack anything: that is found by its seal, and here it tells nothing.
        """
        kind, thing_id, revision = (entry.get(name) for name in ("target_kind", "target_id", "revision"))
        kind = "work_item" if kind in {"task", "note"} else kind
        if kind not in self._kinds or not isinstance(thing_id, str) or not isinstance(revision, int):
            return
        if revision > self._up_to.get(thing_id, revision):
            return
        course = self._courses.get(thing_id)
        if course is None:
            course = self._courses[thing_id] = _Course(kind, (0, self._keep({})))
        course.revisions.add(revision)
        when = (revision, (entry.get("at"), entry.get("principal")))
        course.created = min(course.created, when, key=lambda told: told[0])
        course.updated = max(course.updated, when, key=lambda told: told[0])
        if entry.get("op") in _ENDS | _BEGINS:
            course.live = max(course.live, (revision, entry["op"] in _BEGINS))
        if entry.get("op") in {"merge", "unmerge"}:
            course.merges.append((revision, dict(entry)))
        content = {
            name.removeprefix("after_"): value
            for name, value in entry.items()
            if name.startswith("after_") and value is not None
        }
        if not content:
            return
        if kind == "relation":
            # One that is revived with properties keeps those that it had.
            course.properties.append((revision, _json(content.get("properties"))))
            course.properties.sort(key=lambda told: told[0])
            content["properties"] = {k: v for _, told in course.properties for k, v in told.items()} or None
            revision = max(revision, course.said[0])
        if revision >= course.said[0]:
            course.said = (revision, self._keep(content))
            if kind == "entity":
                self.names[thing_id] = content.get("name", "")

    @property
    def things(self) -> dict[str, Thing]:
        """The last state of each thing, by id."""
        return {thing_id: course.thing() for thing_id, course in self._courses.items()}

    @property
    def merges(self) -> dict[str, list[dict[str, Any]]]:
        """The transitions that merged entities and took that back, in order, by the id of the entity that went."""
        return {
            thing_id: [entry for _, entry in sorted(course.merges, key=lambda told: told[0])]
            for thing_id, course in self._courses.items()
            if course.merges
        }

    def gaps(self) -> dict[str, int]:
        """Things whose history lacks transitions, with how many."""
        return {
            thing_id: course.updated[0] - len(course.revisions)
            for thing_id, course in self._courses.items()
            if course.kind != "alias" and course.updated[0] != len(course.revisions)
        }
