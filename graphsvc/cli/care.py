"""`graphsvc export | import | backup | restore | doctor`: the whole graph as a file, and its health (spec 10)."""

import asyncio
import getpass
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from graphsvc.cli.tokens import with_graph
from graphsvc.database import connect, database_address
from graphsvc.service.doctor import Diagnosis, diagnose
from graphsvc.service.erasing import ErasureReport
from graphsvc.service.erasing import erase as erase_things
from graphsvc.service.exporting import ExportReport, export_graph
from graphsvc.service.importing import ImportReport, import_graph
from graphsvc.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
NewFile = Annotated[
    Path, typer.Argument(help="The file to write; only its owner may read it.", dir_okay=False)
]
OldFile = Annotated[Path, typer.Argument(help="The file to read.", exists=True, dir_okay=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


class Counter:
    """How many lines are done, on standard error; nothing where that is not a terminal."""

    def __init__(self, what: str) -> None:
        console = Console(stderr=True)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description} {task.completed:,.0f}"),
            TimeElapsedColumn(),
        )
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._progress.add_task(what, total=None)

    def __enter__(self) -> Callable[[int], None]:
        self._progress.start()
        return lambda count: self._progress.advance(self._task, count)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def export(file: NewFile, force: Force = False, as_json: Json = False) -> None:
    """Write the whole graph as lines (NDJSON), without tokens, while the service runs.

    Everything is in it: what is retired, history, provenance, principals. Writes wait for a moment at the end.

    Example: graphsvc export graph.ndjson
    """
    _export(file, force, as_json, credentials=False)


def backup(file: NewFile, force: Force = False, as_json: Json = False) -> None:
    """Write a backup while the service runs: an export that has the hashes of tokens too.

    Keep `audit.key` and `audit-heads.jsonl` of the home beside it: without the key the log cannot be verified.

    Example: graphsvc backup /var/backups/graphsvc-monday.ndjson
    """
    _export(file, force, as_json, credentials=True)


def import_(file: OldFile, as_json: Json = False) -> None:
    """Read an exported graph into an empty database. One that was cut off goes on when it is run again.

    Example: graphsvc import graph.ndjson
    """
    _import(file, as_json)


def restore(file: OldFile, as_json: Json = False) -> None:
    """Read a backup into an empty database; tokens work as before. Then run `graphsvc audit verify` and `doctor`.

    Example: GRAPHSVC_HOME=/srv/restored graphsvc restore /var/backups/graphsvc-monday.ndjson
    """
    _import(file, as_json)


def doctor(as_json: Json = False) -> None:
    """Look whether version, schema, indexes and graph are as they should be; change nothing.

    Exit code 1: something was found; what to do stands beside it.

    Example: graphsvc doctor
    """

    async def run() -> Diagnosis:
        settings = Settings()
        # Not by with_graph: that brings the schema up to date, which the doctor only looks at.
        graph = connect(settings, database_address(settings))
        try:
            return await diagnose(graph)
        finally:
            await graph.close()

    diagnosis = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps(asdict(diagnosis)))
    else:
        typer.echo(f"Neo4j {diagnosis.neo4j}, schema {diagnosis.schema_version}, {diagnosis.checks} checks")
        for finding in diagnosis.findings:
            typer.echo(f"{finding.check}: {finding.found}")
            typer.echo(f"  {finding.what}")
            typer.echo(f"  such as {', '.join(finding.ids)}")
            typer.echo(f"  {finding.advice}")
        typer.echo("findings: none" if not diagnosis.findings else f"findings: {len(diagnosis.findings)}")
    if diagnosis.findings:
        raise typer.Exit(1)


def erase(
    ids: Annotated[
        list[str], typer.Argument(help="Ids of entities, observations, relations, tasks or notes.")
    ],
    reason: Annotated[str, typer.Option(help="Why; kept in the log for good, so name no person here.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Erase content for good, for legal reasons: from the graph, its history and the log. It cannot be undone.

    An entity takes its names, observations and relations along. The log keeps that something was there and was erased.

    Example: graphsvc erase ent_0190… --reason "request 2026-17" --dry-run
    """
    settings = Settings()

    def run(dry: bool) -> ErasureReport:
        return with_graph(
            lambda graph: erase_things(
                graph, settings, ids, reason=reason, principal=f"terminal:{getpass.getuser()}", dry_run=dry
            )
        )

    report = run(dry=True)
    if not dry_run:
        if not yes:
            typer.confirm(f"Erase {_counts(report)} for good?", abort=True, err=True)
        report = run(dry=False)
    text = f"{'would erase' if dry_run else 'erased'} {_counts(report)}"
    if not dry_run:
        text += f"; {report.log_entries} entries of the log have lost their content"
    for mention in report.mentions:
        text += f"\n  stays, and may name it: {mention['kind']} {mention['id']}"
    if not dry_run:
        text += "\nBackups and exports made before still hold it."
    _print(asdict(report), as_json, text)


def _counts(report: ErasureReport) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(report.erased.items()))


def _export(file: Path, force: bool, as_json: bool, *, credentials: bool) -> None:
    file = file.absolute()
    if file.exists() and not force:
        raise typer.BadParameter(f"{file} is there already; --force replaces it")
    with Counter("read") as on_progress:
        report: ExportReport = with_graph(
            lambda graph: export_graph(
                graph, Settings(), file, credentials=credentials, on_progress=on_progress
            )
        )
    _print(
        {"file": str(file), **asdict(report)},
        as_json,
        f"{file}: {report.nodes} nodes, {report.edges} edges in {report.seconds:.1f} s; "
        f"writes waited {report.paused_s:.1f} s; sha256 {report.sha256}",
    )


def _import(file: Path, as_json: bool) -> None:
    with Counter("lines") as on_progress:
        report: ImportReport = with_graph(
            lambda graph: import_graph(graph, Settings(), file, on_progress=on_progress)
        )
    _print(
        {"file": str(file), **asdict(report)},
        as_json,
        f"{file}: {report.nodes} nodes and {report.edges} edges imported"
        + (", going on where it was cut off" if report.resumed else "")
        + ("" if report.credentials else "; it has no tokens, so make new ones with `graphsvc token create`"),
    )


def _print(data: dict[str, Any], as_json: bool, text: str) -> None:
    typer.echo(json.dumps(data) if as_json else text)
