"""`graphsvc db`: the managed local Neo4j at the terminal.

Exit codes: 0 done, 1 it could not be done (the message says why), 2 wrong usage, 3 `status` or `logs` of a server that is not there.
"""

import json
import os
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from graphsvc.neo4j_local import LocalNeo4j, LocalNeo4jError, RunningNeo4j

NOT_RUNNING = 3

app = typer.Typer(help="The managed local Neo4j: start, stop, look at it.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]


def local_neo4j() -> LocalNeo4j:
    """The managed Neo4j as the settings say."""
    environment = os.environ
    return LocalNeo4j(
        Path(environment.get("GRAPHSVC_HOME") or platformdirs.user_data_dir("graphsvc")),
        Path(environment.get("GRAPHSVC_CACHE") or platformdirs.user_cache_dir("graphsvc")),
        bolt_port=int(environment.get("GRAPHSVC_BOLT_PORT") or 0) or None,
        http_port=int(environment.get("GRAPHSVC_NEO4J_HTTP_PORT") or 0) or None,
        heap_mb=int(environment.get("GRAPHSVC_NEO4J_HEAP_MB") or 512),
    )


def describe(running: RunningNeo4j) -> dict[str, str | int]:
    """What scripts get."""
    return {
        "bolt_url": running.bolt_url,
        "http_url": running.http_url,
        "browser_url": running.browser_url,
        "user": running.user,
        "password_file": str(running.password_file),
        "pid": running.pid,
    }


def show(running: RunningNeo4j, as_json: bool) -> None:
    """Prints where Neo4j answers."""
    fields = describe(running)
    if as_json:
        typer.echo(json.dumps(fields))
    else:
        for name, value in fields.items():
            typer.echo(f"{name:14} {value}")


@app.command()
def start(as_json: Json = False) -> None:
    """Start Neo4j, fetching it first if need be; return when it answers.

    Example: graphsvc db start --json
    """
    try:
        show(local_neo4j().start(), as_json)
    except LocalNeo4jError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error


@app.command()
def stop(as_json: Json = False) -> None:
    """Stop Neo4j cleanly.

    Example: graphsvc db stop
    """
    stopped = local_neo4j().stop()
    typer.echo(
        json.dumps({"stopped": stopped}) if as_json else ("Stopped." if stopped else "It was not running.")
    )


@app.command()
def status(as_json: Json = False) -> None:
    """Say whether Neo4j runs, and where; exit code 3 if it does not.

    Example: graphsvc db status --json
    """
    running = local_neo4j().status()
    if running is None:
        typer.echo(json.dumps(None) if as_json else "Not running.")
        raise typer.Exit(NOT_RUNNING)
    show(running, as_json)


if __name__ == "__main__":
    app()
