"""`graphsvc audit`: is the log whole, and does the graph stand as the log says? (spec 08)"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from graphsvc.cli.tokens import with_graph
from graphsvc.graph import Graph
from graphsvc.neo4j_local import LocalNeo4j
from graphsvc.service.rebuild import NotEmptyError, rebuild
from graphsvc.service.replay import ScopeReport, chains
from graphsvc.service.replay import replay as replay_log
from graphsvc.service.replay import verify as verify_log
from graphsvc.service.sealing import seal_all
from graphsvc.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
Scopes = Annotated[list[str] | None, typer.Option("--scope", help="Only this scope (repeat for more).")]
_SHOWN = 50
_TEMPORARY: Final = "temporary"

app = typer.Typer(help="Seal, verify and replay the log of all changes.", no_args_is_help=True)


@app.command()
def seal(as_json: Json = False) -> None:
    """Put every transition that waits into its chain now; the running service does it within a minute.

    Example: graphsvc audit seal
    """
    sealed = with_graph(lambda graph: seal_all(graph, Settings()))
    typer.echo(json.dumps({"sealed": sealed}) if as_json else f"sealed {sealed}")


@app.command()
def verify(scope: Scopes = None, as_json: Json = False) -> None:
    """Check every chain with the key, and facts and approvals against it. Exit code 1: something was tampered with.

    Example: graphsvc audit verify
    """
    _print(with_graph(lambda graph: verify_log(graph, Settings(), scope)), as_json)


@app.command()
def replay(
    scope: Scopes = None,
    into: Annotated[
        str | None,
        typer.Option(help="Rebuild in this empty database: bolt://…, or `temporary` for a managed one."),
    ] = None,
    into_user: Annotated[str, typer.Option(help="The user of that database.")] = "neo4j",
    into_password_file: Annotated[
        Path | None, typer.Option(help="The file that holds its password.", dir_okay=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Rebuild all states from the log alone and compare them with the graph. Exit code 1: there are differences.

    Without --into the states are compared one by one, in memory. With it the whole graph is rebuilt in an empty
    database and the two graphs are compared; `--into temporary` starts a Neo4j of its own and removes it afterwards.

    Example: graphsvc audit replay --into temporary
    """
    if into is None:
        _print(with_graph(lambda graph: replay_log(graph, Settings(), scope)), as_json)
    elif into == _TEMPORARY:
        settings = Settings()
        with TemporaryDirectory(prefix="graphsvc-replay-") as home:
            server = LocalNeo4j(Path(home), settings.cache, heap_mb=settings.neo4j_heap_mb)
            try:
                running = server.start()
                _rebuild(running.bolt_url, running.user, running.password_file, scope, as_json)
            finally:
                server.stop()
    else:
        _rebuild(into, into_user, into_password_file, scope, as_json)


def _rebuild(
    uri: str, user: str, password_file: Path | None, scopes: list[str] | None, as_json: bool
) -> None:
    password = password_file.read_text(encoding="utf-8").strip() if password_file else ""

    async def work(graph: Graph) -> list[ScopeReport]:
        target = Graph.connect(uri, user, password)
        try:
            return await rebuild(graph, target, Settings(), scopes)
        finally:
            await target.close()

    try:
        _print(with_graph(work), as_json)
    except NotEmptyError:
        typer.echo(f"The database at {uri} is not empty. Give one that has nothing in it.", err=True)
        raise typer.Exit(2) from None


@app.command()
def report(as_json: Json = False) -> None:
    """Say of each scope how long its chain is and what waits to be sealed.

    Example: graphsvc audit report
    """
    scopes = with_graph(chains)
    if as_json:
        typer.echo(json.dumps({"scopes": scopes}))
        return
    for row in scopes:
        typer.echo(
            f"{row['scope']}: {row['seq']} sealed, {row['waiting']} waiting, head {row['seal'][:16] or '-'}"
        )


def _print(reports: Sequence[ScopeReport], as_json: bool) -> None:
    problems = sum(len(each.problems) for each in reports)
    if as_json:
        typer.echo(json.dumps({"problems": problems, "scopes": [asdict(each) for each in reports]}))
    else:
        for each in reports:
            typer.echo(
                f"{each.scope}: {each.sealed} sealed, {each.waiting} waiting, {each.things} things compared, "
                f"{len(each.problems)} problems"
            )
            for problem in each.problems[:_SHOWN]:
                typer.echo("  " + ", ".join(f"{key}: {value}" for key, value in problem.items()))
        typer.echo("differences: none" if not problems else f"differences: {problems}")
    if problems:
        raise typer.Exit(1)
