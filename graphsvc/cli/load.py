"""`graphsvc load`: bulk loads at the terminal (spec 02, 10)."""

import asyncio
import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from uvicorn.loops.auto import auto_loop_factory

from graphsvc.auth import Authenticator
from graphsvc.database import connect, database_address
from graphsvc.graph import Graph
from graphsvc.ids import new_id
from graphsvc.importers import IMPORTERS
from graphsvc.operator_token import ensure_operator
from graphsvc.schema import apply_schema
from graphsvc.service.call import Call
from graphsvc.service.loading import Loader, LoadPlan, LoadReport, plan_load
from graphsvc.settings import Settings

REFUSED = 1


def load(
    paths: Annotated[
        list[Path], typer.Argument(help="Files to load, in this order.", exists=True, dir_okay=False)
    ],
    file_format: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(sorted(IMPORTERS))}.")
    ] = "jsonl",
    scope: Annotated[str | None, typer.Option(help="Where records go that name no scope.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Load a file that was loaded before once more.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")] = False,
) -> None:
    """Load records in bulk, with a checkpoint: a load that was cut off goes on where it was.

    Exit code 1: some records were refused; the report names their lines.

    Example: graphsvc load seeds/demo.jsonl
    """
    if file_format not in IMPORTERS:
        raise typer.BadParameter(f"--format is one of {', '.join(sorted(IMPORTERS))}")
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        reports = runner.run(
            load_files(paths, file_format, scope, dry_run=dry_run, again=again, quiet=as_json)
        )
    if as_json:
        typer.echo(json.dumps([_as_data(path, report, seconds) for path, report, seconds in reports]))
    else:
        for path, report, seconds in reports:
            _print(path, report, seconds, dry_run=dry_run)
    if any(report.problems_in_all for _, report, _ in reports):
        raise typer.Exit(REFUSED)


async def load_files(
    paths: list[Path],
    file_format: str,
    scope: str | None,
    *,
    dry_run: bool = False,
    again: bool = False,
    quiet: bool = False,
) -> list[tuple[Path, LoadReport, float]]:
    """Load files as the operator of this home; the report and the seconds of each."""
    settings = Settings()
    graph = connect(settings, database_address(settings))
    console = Console(stderr=True, quiet=quiet)
    reports = []
    try:
        await apply_schema(graph)
        await ensure_operator(graph, settings.token_file)
        token = settings.token_file.read_text(encoding="utf-8").strip()
        principal = await Authenticator(graph, 0).authenticate(f"Bearer {token}")
        call = Call(graph, principal, new_id("req"))
        for path in paths:
            started = time.perf_counter()
            plan = plan_load(path, file_format, scope)
            with _progress(console, plan) as on_progress:
                if dry_run:
                    async with graph.rehearsal() as rehearsed:
                        report = await _run(call, rehearsed, plan, on_progress, again=True, checkpoints=False)
                else:
                    report = await _run(call, graph, plan, on_progress, again=again, checkpoints=True)
            reports.append((path, report, time.perf_counter() - started))
    finally:
        await graph.close()
    return reports


async def _run(
    call: Call, graph: Graph, plan: LoadPlan, on_progress: Any, *, again: bool, checkpoints: bool
) -> LoadReport:
    on_graph = Call(graph, call.principal, call.request_id)
    return await Loader(on_graph, plan, on_progress=on_progress, checkpoints=checkpoints).run(again=again)


class _progress:  # noqa: N801 - a context manager, used as a function
    """A bar on standard error; nothing where that is not a terminal."""

    def __init__(self, console: Console, plan: LoadPlan) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(f"Loading {plan.path.name}", total=plan.lines)

    def __enter__(self) -> Any:
        self._progress.start()
        return lambda count: self._progress.advance(self._task, count)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def _as_data(path: Path, report: LoadReport, seconds: float) -> dict[str, Any]:
    return {
        "file": str(path),
        "load_id": report.load_id,
        "already_loaded": report.already_loaded,
        "resumed_after": report.resumed_after,
        "lines": report.lines_done,
        "outcomes": {
            thing: dict(sorted(counts.items())) for thing, counts in sorted(report.outcomes.items())
        },
        "refused": report.problems_in_all,
        "problems": [{"line": line, "reason": reason} for line, reason in report.problems],
        "seconds": round(seconds, 2),
    }


def _print(path: Path, report: LoadReport, seconds: float, *, dry_run: bool) -> None:
    if report.already_loaded:
        typer.echo(f"{path}: loaded before; --again loads it once more")
        return
    verb = "would load" if dry_run else "loaded"
    typer.echo(f"{path}: {verb} {report.lines_done} records in {seconds:.1f} s (load {report.load_id})")
    for thing, counts in sorted(report.outcomes.items()):
        typer.echo(
            f"  {thing:20} " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        )
    for line, reason in report.problems:
        typer.echo(f"  {path}:{line}: {reason}", err=True)
    if report.problems_in_all > len(report.problems):
        typer.echo(f"  … and {report.problems_in_all - len(report.problems)} more refused", err=True)
