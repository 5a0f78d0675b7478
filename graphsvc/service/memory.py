"""Candidates of memory files and their links to entities, in the graph (spec 06).

Opt-in, in one scope, and never a fact: what is kept here becomes one only through a claim that a person proposes.
A repository is known by the name of its directory, so that several may share a scope.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

import orjson

from graphsvc import limits
from graphsvc.domain.names import content_key, name_key
from graphsvc.graph import Row
from graphsvc.memory_sources.candidates import Candidate, Ingestion
from graphsvc.memory_sources.config import Adapter
from graphsvc.memory_sources.supports import MemoryRelation, Owner, Support
from graphsvc.models.common import WriteRequest
from graphsvc.scope import SHARED, Scope
from graphsvc.service.call import Call
from graphsvc.service.writing import Results, WriteBatch, run_write

T = TypeVar("T")
_BATCH: Final = limits.BATCH_ITEMS_MAX


class MemoryStore:
    """The memories of one repository in one scope.

    It sees that scope and `shared`, whatever else the caller may see: a link must mean the same to all its readers.
    """

    def __init__(self, call: Call, scope: str | None, repo: str) -> None:
        """Raises what Principal.write_scope raises."""
        granted = call.principal.write_scope(scope)
        assert granted.write is not None  # noqa: S101 - a write scope has one
        self._call = call
        self._request = WriteRequest(scope=granted.write)
        self._scope: Scope = granted.within({granted.write, SHARED})
        self._repo = repo

    @property
    def scope_id(self) -> str:
        """The scope that is written to."""
        return str(self._request.scope)

    async def owners_of(self, values: Sequence[str]) -> Mapping[str, Collection[Owner]]:
        """Who owns exact values among the live entities. See `memory_sources.supports.OwnerLookup`."""
        found: dict[str, Collection[Owner]] = {}
        for batch in _batches([value for value in values if _can_be_owned(value)]):
            rows = [
                {"value": value, "key": name_key(value) if len(value) <= limits.NAME_CHARS_MAX else None}
                for value in batch
            ]
            for row in await self._call.graph.read(self._scope, "memory/owners_of", rows=rows):
                found[row["value"]] = [Owner(owner["entity_id"], owner["kind"]) for owner in row["owners"]]
        return found

    async def stored_relations(self) -> list[MemoryRelation]:
        """The live links of this repository, those to entities that are not live any more included."""
        return [
            MemoryRelation(
                candidate_id=row["candidate_id"],
                target=row["target"],
                value=row["value"],
                kind=row["kind"],
                raw_path=row["raw_path"],
                fact_sha256=row["fact_sha256"],
            )
            for row in await self._stored("memory/stored_supports")
        ]

    async def store(
        self, ingestion: Ingestion, support: Support | None, sources: Sequence[tuple[Adapter, str]]
    ) -> dict[str, int]:
        """Keep the candidates of a run and, if there is `support`, the links; retire what is no longer there.

        `sources` is what was read, so that nothing is retired of what was not. Storing the same again changes nothing
        but `last_seen_at`. Answers with counts, such as `candidates created` and `links retired`.
        """
        counts: Counter[str] = Counter()
        nodes: dict[str, str] = {}
        for batch in _batches(ingestion.candidates):
            results = await self._write("put_candidates", batch, self._put_candidates)
            for candidate, result in zip(batch, results, strict=True):
                nodes[candidate.key] = result["id"]
                counts[f"candidates {result['outcome']}"] += 1
        kept = set(nodes.values())
        gone = [
            row["id"]
            for row in await self._stored("memory/stored_candidates")
            if row["id"] not in kept and _was_read(row, ingestion, sources)
        ]
        if support is not None:
            counts += await self._store_links(ingestion, support, nodes, gone)
        for ids in _batches(gone):
            counts["candidates retired"] += len(
                await self._write("retire_candidates", ids, _retire_candidates)
            )
        return dict(sorted(counts.items()))

    async def _store_links(
        self, ingestion: Ingestion, support: Support, nodes: Mapping[str, str], gone: Sequence[str]
    ) -> Counter[str]:
        counts: Counter[str] = Counter()
        by_id = {candidate.candidate_id: nodes[candidate.key] for candidate in ingestion.candidates}
        links = [(by_id[relation.candidate_id], relation) for relation in support.relations]
        kept: set[str] = set()
        for batch in _batches(links):
            for result in await self._write("put_supports", batch, _put_links):
                counts[f"links {result['outcome']}"] += 1
                kept.add(result.get("id", ""))
        ours = {*nodes.values(), *gone}
        stale = [
            row["id"]
            for row in await self._stored("memory/stored_supports")
            if row["candidate"] in ours and row["id"] not in kept
        ]
        for ids in _batches(stale):
            counts["links retired"] += len(await self._write("retire_supports", ids, _retire_links))
        return counts

    async def _stored(self, query: str) -> list[Row]:
        return await self._call.graph.read(self._scope, query, repo=self._repo)

    async def _write(self, operation: str, items: Sequence[T], work: Any) -> Results:
        """One transaction over some items."""

        async def attempt(batch: WriteBatch) -> Results:
            results: Results = await work(batch, items)
            return results

        answer = await run_write(self._call, operation, self._request, "items", attempt, self._scope)
        results: Results = answer["results"]
        return results

    async def _put_candidates(self, batch: WriteBatch, candidates: Sequence[Candidate]) -> Results:
        rows = [
            {
                "index": i,
                "id": batch.ids.get("cand", i),
                "transition_id": batch.ids.get("trn", "candidate", i),
                "key": content_key(self._repo, candidate.key),
                "repo": self._repo,
                "source": candidate.source,
                "path": candidate.path,
                "content": candidate_content(candidate),
            }
            for i, candidate in enumerate(candidates)
        ]
        made = await batch.run("memory/put_candidates", sorted(rows, key=lambda row: str(row["key"])))
        return [
            {"index": i, "outcome": made[i]["changed"] or "existing", "id": made[i]["id"]}
            for i in range(len(rows))
        ]


def candidate_content(candidate: Candidate) -> dict[str, Any]:
    """What is kept of a candidate. Of an unsafe one neither text nor a hash that could be guessed."""
    is_safe = not candidate.findings
    return {
        "candidate_id": candidate.candidate_id,
        "status": candidate.status,
        "fact": candidate.fact if is_safe else None,
        "fact_sha256": candidate.fact_sha256 if is_safe else None,
        "content_sha256": candidate.content_sha256 if is_safe else None,
        "confidence": candidate.confidence,
        "findings": orjson.dumps([finding._asdict() for finding in candidate.findings]).decode(),
    }


async def _put_links(batch: WriteBatch, links: Sequence[tuple[str, MemoryRelation]]) -> Results:
    rows = [
        {
            "index": i,
            "id": batch.ids.get("sup", i),
            "transition_id": batch.ids.get("trn", "support", i),
            "key": content_key(node, relation.target, relation.kind, relation.value),
            "candidate": node,
            "entity_id": relation.target,
            "kind": relation.kind,
            "value": relation.value,
            "raw_path": relation.raw_path,
            "fact_sha256": relation.fact_sha256,
        }
        for i, (node, relation) in enumerate(links)
    ]
    made = await batch.run("memory/put_supports", rows)
    return [
        # An entity may have been retired since it was found to own the value.
        {"index": i, "outcome": made[i]["changed"] or "existing", "id": made[i]["id"]}
        if i in made
        else {"index": i, "outcome": "skipped"}
        for i in range(len(rows))
    ]


async def _retire_candidates(batch: WriteBatch, ids: Sequence[str]) -> Results:
    return await _retire(batch, "memory/retire_candidates", ids)


async def _retire_links(batch: WriteBatch, ids: Sequence[str]) -> Results:
    return await _retire(batch, "memory/retire_supports", ids)


async def _retire(batch: WriteBatch, query: str, ids: Sequence[str]) -> Results:
    rows = [
        {"index": i, "id": item_id, "transition_id": batch.ids.get("trn", "gone", item_id)}
        for i, item_id in enumerate(ids)
    ]
    retired = await batch.run(query, rows)
    return [{"index": i, "outcome": "retired", "id": row["id"]} for i, row in sorted(retired.items())]


def _can_be_owned(value: str) -> bool:
    """Whether anything may be known by this value: ids, aliases and paths are short, and whole Unicode."""
    try:
        return len(value.encode()) <= limits.SOURCE_PATH_BYTES_MAX
    except UnicodeEncodeError:  # a lone surrogate, which front matter can spell
        return False


def _was_read(row: Row, ingestion: Ingestion, sources: Sequence[tuple[Adapter, str]]) -> bool:
    """Whether the run would have found this candidate, were it still there."""
    path = PurePosixPath(row["path"])
    if any(
        row["path"] == unread.path or unread.path in map(str, path.parents) for unread in ingestion.unread
    ):
        return False
    return any(
        row["source"] == source and (directory == "." or PurePosixPath(directory) in path.parents)
        for source, directory in sources
    )


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
