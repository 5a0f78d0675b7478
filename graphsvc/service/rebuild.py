"""Replay into an empty database: the whole state is rebuilt there from the log alone and compared (spec 08).

What is rebuilt: every entity, name, alias, external id, observation, relation, task, note, task link, claim with its
evidence, fact, decision, approval, policy, document, candidate and link of a candidate, live and retired, with edges,
revision, times and principals. Not in the log, so not rebuilt: tokens, `last_seen_at`, by which merges a thing is on a
survivor, and the words of the full-text index, which are made from the texts. Of a document the log keeps the hash: its
text is taken over where it fits.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from graphsvc.domain.names import content_key, name_key, pointer_key, relation_type_key
from graphsvc.domain.source_ref import SourceRef
from graphsvc.domain.times import in_utc
from graphsvc.graph import Graph, Transaction
from graphsvc.memory_sources.candidates import candidate_key
from graphsvc.schema import apply_schema
from graphsvc.service.observations import text_sha256
from graphsvc.service.relations import PROPERTY_PREFIX
from graphsvc.service.replay import KINDS, Log, Names, ScopeReport, Thing, chain, graph_state, heads, replay
from graphsvc.settings import Settings

_PAGE: Final = 500
_ORDER: Final = (
    *("entity", "alias", "external_id", "observation", "relation", "work_item", "task_link"),
    *("document", "candidate", "support"),
    *("claim", "fact", "policy", "approval", "decision"),
)
"""What a thing hangs on is there before it."""
_REFERENCES: Final = (
    "entity_id",
    "from_id",
    "to_id",
    "task_id",
    "subject_id",
    "object_id",
    "candidate",
    "merged_into",
)

Content = Mapping[str, Any]


class NotEmptyError(Exception):
    """The database given for a rebuild has something in it."""


async def rebuild(
    graph: Graph, target: Graph, settings: Settings, scopes: Sequence[str] | None = None
) -> list[ScopeReport]:
    """Rebuild the state of all scopes (or of these and what they hang on) in the empty `target`, and compare.

    The reports hold the differences between graph and log, and those between graph and rebuilt graph. Raises
    NotEmptyError.
    """
    if not (await target.read(None, "rebuild/is_empty"))[0]["empty"]:
        raise NotEmptyError
    await apply_schema(target)
    stands: dict[str, tuple[dict[str, Thing], Names]] = {}
    for head in await heads(graph, scopes):
        stands[head["scope"]] = await graph_state(graph, head["scope"], KINDS)
    reports = await replay(
        graph, settings, scopes
    )  # seals what is there, so the chains hold all that was read above
    logs = {scope: await _log(graph, scope, found) for scope, (found, _) in stands.items()}
    await _add_foreign(graph, logs)
    await _write(graph, target, logs)
    for report in reports:
        await _compare(target, report, *stands[report.scope])
    return reports


async def _log(graph: Graph, scope: str, stands: Mapping[str, Thing]) -> Log:
    log = Log(KINDS, {thing_id: thing.revision for thing_id, thing in stands.items()}, keep=dict)
    async for entry in chain(graph, scope):
        log.take(entry)
    return log


async def _add_foreign(graph: Graph, logs: dict[str, Log]) -> None:
    """Add the logs of the scopes in which there are things on which others hang."""
    while True:
        there = {thing_id for log in logs.values() for thing_id in log.things}
        wanted = {
            content[name]
            for log in logs.values()
            for thing in log.things.values()
            for content in [_content(thing)]
            for name in _REFERENCES
            if content.get(name) is not None and content[name] not in there
        }
        rows = await graph.read(None, "rebuild/scopes_of", ids=sorted(wanted)) if wanted else []
        new = {row["scope"] for row in rows} - logs.keys()
        if not new:
            return
        for scope in sorted(new):
            logs[scope] = await _log(graph, scope, {})


async def _write(graph: Graph, target: Graph, logs: Mapping[str, Log]) -> None:
    await _write_rows(target, "rebuild/scope", ({"id": scope} for scope in logs))
    versions = _last_versions(logs)
    for kind in _ORDER:
        rows = [
            _row(scope, thing_id, thing)
            for scope, log in logs.items()
            for thing_id, thing in log.things.items()
            if thing.kind == kind and _content(thing)
        ]
        if kind == "policy":
            rows = [row | {"current": versions[row["scope"]] == row["version"]} for row in rows]
        if kind == "document":
            for row in rows:
                row["chunks"] = await _chunks(graph, row)
        await _write_rows(target, f"rebuild/{kind}", rows)
        if kind == "entity":
            merges = (row for log in logs.values() for row in _merged(log))
            await _write_rows(target, "rebuild/merged", merges)
        if kind == "alias":
            names = (_own_name(s, i, name) for s, log in logs.items() for i, name in log.names.items())
            await _write_rows(target, "rebuild/alias", names)
        if kind == "fact":
            await _write_rows(target, "rebuild/superseded", (row for row in rows if row.get("superseded_by")))


async def _write_rows(target: Graph, query: str, rows: Iterable[Mapping[str, Any]]) -> None:
    waiting = list(rows)
    for start in range(0, len(waiting), _PAGE):
        page = waiting[start : start + _PAGE]

        async def work(tx: Transaction, page: list[Mapping[str, Any]] = page) -> None:
            await tx.run(query, rows=in_utc(page))

        await target.transaction(None, work, name=query)


async def _chunks(graph: Graph, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The chunks of a document; none where they are not the text that the log tells of."""
    found = await graph.read(None, "rebuild/chunks_of", ids=[document["id"]])
    chunks: list[dict[str, Any]] = found[0]["chunks"] if found else []
    text_sha = hashlib.sha256("".join(chunk["text"] for chunk in chunks).encode()).hexdigest()
    return chunks if text_sha == document.get("content_sha256") else []


def _content(thing: Thing) -> Content:
    return thing.content if isinstance(thing.content, dict) else {}


def _last_versions(logs: Mapping[str, Log]) -> dict[str, int]:
    return {
        scope: max((_content(t)["version"] for t in log.things.values() if t.kind == "policy"), default=0)
        for scope, log in logs.items()
    }


def _row(scope: str, thing_id: str, thing: Thing) -> dict[str, Any]:
    """A row of a `rebuild/` query: the content, and under `properties` what is set as it is."""
    content = _content(thing)
    ended = (None, None) if thing.live else thing.updated
    properties = {
        "id": thing_id,
        "scope": scope,
        "revision": thing.revision,
        "created_at": thing.created[0],
        "created_by": thing.created[1],
        "updated_at": thing.updated[0],
        "updated_by": thing.updated[1],
        "retired_at": ended[0],
        "retired_by": ended[1],
    }
    row = {**content, "id": thing_id, "scope": scope, "live": thing.live}
    match thing.kind:
        case "entity":
            properties |= {**content, "name_key": name_key(content["name"])}
            if content.get("kind"):
                properties["kind_key"] = name_key(content["kind"])
        case "alias":
            row |= _lookup_keys(content["text"])
            properties |= {"text": content["text"], "primary": False}
        case "observation":
            row["text_sha256"] = text_sha256(content["text"])
            properties |= {name: content.get(name) for name in ("text", "observed_at", "source_ref")}
            if content.get("source_ref"):
                properties["source_path"] = SourceRef(content["source_ref"]).path
        case "relation":
            row["type_key"] = relation_type_key(content["type"])
            given = content["properties"] or {}
            properties |= {PROPERTY_PREFIX + name: value for name, value in given.items()}
            properties["type"] = content["type"]
        case "claim":
            row["parts"] = _parts(scope, thing_id, content["evidence"])
            properties |= content
        case "decision":
            properties |= {name: value for name, value in content.items() if name != "targets"}
        case "candidate":
            found_in = candidate_key(content["source"], content["path"], content.get("fact_sha256"))
            row["key"] = content_key(content["repo"], found_in)
            properties |= content
        case "support":
            parts = ("candidate", "entity_id", "kind", "value")
            row["key"] = content_key(*(content[name] for name in parts))
            properties |= {name: value for name, value in content.items() if name not in parts[:2]}
        case kind:
            row["work_kind"] = thing_id.partition("_")[0]
            properties |= content
            if kind == "external_id":
                properties = {name: value for name, value in properties.items() if name not in _NO_PROPERTIES}
    return row | {"properties": properties}


def _merged(log: Log) -> Iterator[dict[str, Any]]:
    """The edges that say where merged entities went, those that were taken back too."""
    for source_id, entries in log.merges.items():
        edges: dict[str, dict[str, Any]] = {}
        target_id = ""
        for entry in entries:
            target_id = entry.get("after_merged_into", target_id)
            edge = edges.setdefault(
                target_id, {"scope": entry["scope"], "revision": 0, "created_at": entry["at"]}
            )
            edge |= {"updated_at": entry["at"], "updated_by": entry["principal"]}
            edge["revision"] += 1
            edge["retired_at"] = entry["at"] if entry["op"] == "unmerge" else None
        for target_id, properties in edges.items():
            yield {"source_id": source_id, "target_id": target_id, "properties": properties}


_NO_PROPERTIES: Final = frozenset({"id", "revision", "updated_at", "updated_by", "retired_at", "retired_by"})
"""What an external id does not have: it is made once, and known by its value."""


def _lookup_keys(text: str) -> dict[str, str]:
    return {"key": name_key(text), "pointer_key": pointer_key(text)}


def _own_name(scope: str, entity_id: str, name: str) -> dict[str, Any]:
    """The lookup key of an entity's own name, which has no history but the entity's."""
    properties = {"scope": scope, "text": name, "primary": True}
    row = {"id": f"als_of_{entity_id}", "entity_id": entity_id, "scope": scope}
    return row | {**_lookup_keys(name), "properties": properties}


def _parts(scope: str, claim_id: str, evidence: str) -> list[dict[str, Any]]:
    return [
        {**part, "id": f"{claim_id}/{n}", "scope": scope} for n, part in enumerate(orjson.loads(evidence))
    ]


async def _compare(target: Graph, report: ScopeReport, stands: Mapping[str, Thing], names: Names) -> None:
    """Add what the graph has otherwise than the rebuilt one, and what one of both lacks."""
    rebuilt, rebuilt_names = await graph_state(target, report.scope, KINDS)
    for thing_id, thing in stands.items():
        other = rebuilt.get(thing_id)
        for what in ["missing"] if other is None else thing.differences(other):
            report.problem(f"in the rebuilt graph: {what}", kind=thing.kind, id=thing_id)
    for thing_id in rebuilt.keys() - stands.keys():
        report.problem("only in the rebuilt graph", kind=rebuilt[thing_id].kind, id=thing_id)
    for entity_id, name in names.by_entity.items():
        if rebuilt_names.by_entity.get(entity_id) != name:
            report.problem("in the rebuilt graph: another name", kind="alias", id=entity_id)
