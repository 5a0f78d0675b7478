"""Bulk loads: records of a file through the same use-cases as HTTP writes, in batches (spec 02).

Records are carried out in the order of the file as far as it matters: records of one kind that stand together may be
batched by scope and run side by side, but never past a record of another kind, nor two entities of the same name.
A checkpoint in the graph says how far a file has come; what ran after it is run again, which changes nothing, as
every write is idempotent.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from graphsvc import limits
from graphsvc.domain.names import content_key, name_key
from graphsvc.errors import GraphsvcError
from graphsvc.graph import Row, Transaction
from graphsvc.ids import new_id
from graphsvc.importers import IMPORTERS, Problem, Record, SourcedRecord
from graphsvc.models.admin import CreateScopes
from graphsvc.models.common import WriteRequest, problems_of
from graphsvc.models.writes import (
    AddAliases,
    AddObservations,
    CreateEntities,
    CreateRelations,
    DeleteEntities,
    DeleteObservations,
    DeleteRelations,
)
from graphsvc.scope import SHARED
from graphsvc.service.admin import create_scopes
from graphsvc.service.aliases import add_aliases
from graphsvc.service.call import Call
from graphsvc.service.entities import create_entities, delete_entities
from graphsvc.service.observations import add_observations, delete_observations
from graphsvc.service.relations import create_relations, delete_relations

_SIDE_BY_SIDE: Final = 3
_REFUSED: Final = frozenset({"invalid", "skipped", "ambiguous", "conflict"})


@dataclass(frozen=True, slots=True)
class _Kind:
    """How records of one kind become requests: the request's list field, and the records' own list field if any."""

    request: type[WriteRequest]
    run: Callable[[Call, Any], Awaitable[dict[str, Any]]]
    items: str
    nested: str | None = None


_KINDS: Final = {
    "entity": _Kind(CreateEntities, create_entities, "entities"),
    "observations": _Kind(AddObservations, add_observations, "items"),
    "aliases": _Kind(AddAliases, add_aliases, "items"),
    "relation": _Kind(CreateRelations, create_relations, "relations"),
    "retire_entities": _Kind(DeleteEntities, delete_entities, "names", nested="names"),
    "retire_observations": _Kind(DeleteObservations, delete_observations, "items"),
    "retire_relations": _Kind(DeleteRelations, delete_relations, "relations", nested="relations"),
}


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """A file looked through once: what identifies it, how many lines it has, which scopes it names."""

    path: Path
    format: str
    scope: str | None
    sha256: str
    lines: int
    scopes: frozenset[str]

    @property
    def checkpoint_id(self) -> str:
        """The same file loaded in the same way has the same checkpoint."""
        return content_key(self.sha256, self.format, self.scope or "")


@dataclass(slots=True)
class LoadReport:
    """What a load did: outcomes by kind of thing, problems with their lines, where it stands."""

    load_id: str
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)
    problems_in_all: int = 0
    lines_done: int = 0
    resumed_after: int = 0
    already_loaded: bool = False

    def count(self, thing: str, outcome: str, by: int = 1) -> None:
        """Count an outcome."""
        self.outcomes.setdefault(thing, Counter())[outcome] += by

    def problem(self, line: int, reason: str) -> None:
        """Note a refused record; the first few are kept in full."""
        self.problems_in_all += 1
        if len(self.problems) < limits.LOAD_PROBLEMS_SHOWN_MAX:
            self.problems.append((line, reason))


def plan_load(path: Path, file_format: str, scope: str | None) -> LoadPlan:
    """Look through a file. Raises OSError, KeyError for a format that there is not."""
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    lines, scopes = 0, {SHARED}
    for sourced in IMPORTERS[file_format](path):
        lines += 1
        if isinstance(sourced.content, dict):
            named = sourced.content.get("id" if sourced.content["record"] == "scope" else "scope", scope)
            if isinstance(named, str):
                scopes.add(named)
    return LoadPlan(path, file_format, scope, digest.hexdigest(), lines, frozenset(scopes))


class Loader:
    """One load of one file."""

    def __init__(
        self, call: Call, plan: LoadPlan, *, on_progress: Callable[[int], None], checkpoints: bool = True
    ) -> None:
        self.plan = plan
        self.report = LoadReport(new_id("load"))
        # A load sees the scopes that its records name: names elsewhere are none of its business.
        principal = replace(call.principal, scopes=plan.scopes)
        self.call = replace(call, principal=principal, load_id=self.report.load_id)
        self.on_progress = on_progress
        self.checkpoints = checkpoints

    async def run(self, *, again: bool = False) -> LoadReport:
        """Carry out the file from its checkpoint on (`again`: from the start).

        Raises what the writes raise when the database fails; what was done is kept, and the next run goes on.
        """
        if self.checkpoints and not again:
            rows = await self.call.graph.read(
                None, "housekeeping/load_checkpoint", id=self.plan.checkpoint_id
            )
            if rows:
                self.report.already_loaded = rows[0]["finished"]
                self.report.resumed_after = rows[0]["lines_done"]
        if self.report.already_loaded:
            return self.report
        records = IMPORTERS[self.plan.format](self.plan.path)
        position = 0
        for kind, run in groupby(records, key=_kind_of):
            position = await self._run_of_one_kind(kind, run, position)
            await self._save_checkpoint(position, finished=False)
        await self._save_checkpoint(position, finished=True)
        return self.report

    async def _run_of_one_kind(self, kind: str, run: Iterator[SourcedRecord], position: int) -> int:
        """Batches of one kind, a few side by side; returns the position after the run."""
        pending: set[asyncio.Task[None]] = set()
        batches: dict[tuple[str | None, str], list[SourcedRecord]] = {}
        weights: Counter[tuple[str | None, str]] = Counter()
        waiting: dict[str, tuple[str | None, str]] = {}
        in_work: set[str] = set()

        async def drain(at_most: int) -> None:
            nonlocal pending
            while len(pending) > at_most:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            if not pending:
                in_work.clear()

        async def flush(key: tuple[str | None, str]) -> None:
            batch = batches.pop(key)
            del weights[key]
            for name in _names(batch):
                waiting.pop(name, None)
            await drain(_SIDE_BY_SIDE - 1)
            in_work.update(_names(batch))
            pending.add(asyncio.create_task(self._carry_out(kind, key, batch)))

        try:
            for sourced in run:
                position += 1
                if position <= self.report.resumed_after:
                    continue
                if isinstance(sourced.content, Problem):
                    self.report.problem(sourced.line_number, sourced.content.reason)
                    continue
                key = (
                    _text_or_none(sourced.content.get("scope", self.plan.scope)),
                    str(sourced.content.get("resolve")),
                )
                names = _names([sourced])
                if names & in_work or any(waiting.get(name, key) != key for name in names):
                    for other in list(batches):
                        await flush(other)
                    await drain(0)
                batches.setdefault(key, []).append(sourced)
                weights[key] += _weight(sourced)
                waiting.update(dict.fromkeys(names, key))
                if weights[key] >= limits.LOAD_BATCH_ITEMS:
                    await flush(key)
                if position % limits.LOAD_CHECKPOINT_LINES == 0:
                    for other in list(batches):
                        await flush(other)
                    await drain(0)
                    await self._save_checkpoint(position, finished=False)
            for key in list(batches):
                await flush(key)
            await drain(0)
        except BaseException:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
            raise
        return position

    async def _save_checkpoint(self, position: int, *, finished: bool) -> None:
        self.report.lines_done = position
        if not self.checkpoints or (position <= self.report.resumed_after and not finished):
            return

        async def work(tx: Transaction) -> list[Row]:
            return await tx.run(
                "housekeeping/save_load_checkpoint",
                id=self.plan.checkpoint_id,
                load_id=self.report.load_id,
                lines_done=position,
                finished=finished,
            )

        await self.call.graph.transaction(None, work, name="save_load_checkpoint")

    async def _carry_out(self, kind: str, key: tuple[str | None, str], batch: list[SourcedRecord]) -> None:
        if kind == "scope":
            await self._create_scopes(batch)
        else:
            await self._write(_KINDS[kind], kind, key, batch)
        self.on_progress(len(batch))

    async def _create_scopes(self, batch: list[SourcedRecord]) -> None:
        items = [_item(sourced.content) for sourced in batch]
        answer = await create_scopes(self.call, CreateScopes.model_validate({"scopes": items}))
        self._account("scope", batch, answer["results"])

    async def _write(
        self, how: _Kind, kind: str, key: tuple[str | None, str], batch: list[SourcedRecord]
    ) -> None:
        scope, resolve = key
        nested = how.nested
        items: list[Any] = []
        lines: list[SourcedRecord] = []
        for sourced in batch:
            item = _item(sourced.content)
            parts = item.get(nested, []) if nested else [item]
            items += parts if isinstance(parts, list) else [parts]
            lines += [sourced] * (len(items) - len(lines))
        options = {"resolve": resolve} if kind == "entity" and resolve != "None" else {}
        try:
            request = how.request.model_validate({"scope": scope, how.items: items, **options})
            answer = await how.run(self.call, request)
        except (ValidationError, GraphsvcError) as error:
            if isinstance(error, GraphsvcError) and error.status >= 500:
                raise
            await self._one_by_one(how, kind, key, batch, error)
            return
        if "retired" in answer:
            self.report.count(kind, "retired", answer["retired"])
        else:
            self._account(kind, lines, answer["results"])

    async def _one_by_one(
        self, how: _Kind, kind: str, key: tuple[str | None, str], batch: list[SourcedRecord], error: Exception
    ) -> None:
        """A batch that was refused as a whole: find the records that it was refused for."""
        if len(batch) > 1:
            for sourced in batch:
                await self._write(how, kind, key, [sourced])
            return
        problems = (
            problems_of(error) if isinstance(error, ValidationError) else getattr(error, "problems", [])
        )
        reason = "; ".join(f"{problem.path} {problem.reason}" for problem in problems) or str(error)
        self.report.count(kind, "refused")
        self.report.problem(batch[0].line_number, reason)

    def _account(self, kind: str, batch: list[SourcedRecord], results: list[dict[str, Any]]) -> None:
        for sourced, result in zip(batch, results, strict=True):
            outcome = result["outcome"]
            if outcome != "ok":
                self.report.count(kind, outcome)
            if outcome in _REFUSED:
                self.report.problem(sourced.line_number, _reason(result))
            if "warning" in result:
                self.report.count("warning", result["warning"]["code"])
            for part, thing in (("observations", "observation"), ("aliases", "alias")):
                for inner in result.get(part, ()):
                    self.report.count(thing, inner["outcome"])
                    if "warning" in inner:
                        self.report.count("warning", inner["warning"]["code"])
                    if inner["outcome"] in _REFUSED:
                        self.report.problem(
                            sourced.line_number, f"{part}[{inner['index']}]: {_reason(inner)}"
                        )


def _reason(result: dict[str, Any]) -> str:
    errors = result.get("errors")
    return (
        "; ".join(f"{error['path']} {error['reason']}" for error in errors) if errors else result["outcome"]
    )


def _kind_of(sourced: SourcedRecord) -> str:
    return str(sourced.content["record"]) if isinstance(sourced.content, dict) else "problem"


def _item(content: Record | Problem) -> dict[str, Any]:
    assert isinstance(content, dict)  # noqa: S101 - problems were set aside before batching
    return {key: value for key, value in content.items() if key not in {"record", "scope", "resolve"}}


def _names(batch: list[SourcedRecord]) -> set[str]:
    return {
        name_key(str(sourced.content["name"]))
        for sourced in batch
        if isinstance(sourced.content, dict)
        and sourced.content["record"] == "entity"
        and "name" in sourced.content
    }


def _weight(sourced: SourcedRecord) -> int:
    """How much a record adds to a transaction: itself, its aliases and its texts."""
    if not isinstance(sourced.content, dict):
        return 0
    parts = (sourced.content.get(part) for part in ("observations", "aliases", "contents"))
    return 1 + sum(len(part) for part in parts if isinstance(part, list))


def _text_or_none(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
