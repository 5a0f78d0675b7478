"""`graphsvc db`: the managed local Neo4j at the terminal (spec 09, 10).

Exit codes: 0 done; 1 it could not be done, and the message says why; 2 wrong usage; 3 Neo4j does not run; 4 it runs but
does not answer.
"""

import json
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from graphsvc.neo4j_local import LocalNeo4j, LocalNeo4jError, RunningNeo4j
from graphsvc.settings import Settings

FAILED = 1
NOT_RUNNING = 3
NOT_ANSWERING = 4
FOLLOW_INTERVAL_S = 0.3

app = typer.Typer(help="The managed local Neo4j: start it, stop it, look at it.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]


def local_neo4j() -> LocalNeo4j:
    """The managed Neo4j as the settings say."""
    settings = Settings()
    return LocalNeo4j(
        settings.home,
        settings.cache,
        bolt_port=settings.bolt_port,
        http_port=settings.neo4j_http_port,
        heap_mb=settings.neo4j_heap_mb,
    )


def addresses(running: RunningNeo4j) -> dict[str, Any]:
    """Where a running Neo4j answers, by field."""
    return {
        "bolt_url": running.bolt_url,
        "http_url": running.http_url,
        "browser_url": running.browser_url,
        "user": running.user,
        "password_file": str(running.password_file),
        "pid": running.pid,
    }


def show(fields: dict[str, Any], as_json: bool) -> None:
    """Prints fields for a person, or as one JSON object."""
    if as_json:
        typer.echo(json.dumps(fields))
        return
    for name, value in fields.items():
        typer.echo(f"{name:14} {value}")


@app.command()
def start(as_json: Json = False) -> None:
    """Start Neo4j unless it runs, fetching it first if need be; return when it answers.

    Example: graphsvc db start --json
    """
    try:
        show(addresses(local_neo4j().start()), as_json)
    except LocalNeo4jError as error:
        typer.echo(f"graphsvc: {error}", err=True)
        raise typer.Exit(FAILED) from error


@app.command()
def stop(as_json: Json = False) -> None:
    """Stop Neo4j cleanly; nothing is wrong if it does not run.

    Example: graphsvc db stop
    """
    stopped = local_neo4j().stop()
    typer.echo(
        json.dumps({"stopped": stopped}) if as_json else "stopped" if stopped else "it was not running"
    )


@app.command()
def status(as_json: Json = False) -> None:
    """Say whether Neo4j runs and answers. Exit code 3: it does not run; 4: it runs but does not answer.

    Example: graphsvc db status --json
    """
    database = local_neo4j()
    running = database.status()
    if running is None:
        typer.echo(json.dumps({"running": False}) if as_json else "not running")
        raise typer.Exit(NOT_RUNNING)
    try:
        answers = database.answers()
    except LocalNeo4jError as error:
        typer.echo(f"graphsvc: {error}", err=True)
        answers = False
    show({"running": True, "answers": answers} | addresses(running), as_json)
    if not answers:
        raise typer.Exit(NOT_ANSWERING)


@app.command()
def path(as_json: Json = False) -> None:
    """Print the folder that holds Neo4j's data, settings, logs and password.

    Example: du -sh "$(graphsvc db path)"
    """
    layout = local_neo4j().layout
    places = {
        "path": layout.root,
        "data": layout.data_dir,
        "logs": layout.logs_dir,
        "settings": layout.conf_file,
        "password_file": layout.password_file,
    }
    typer.echo(
        json.dumps({name: str(place) for name, place in places.items()}) if as_json else str(layout.root)
    )


@app.command()
def logs(
    lines: Annotated[
        int, typer.Option("--lines", "-n", min=1, max=100_000, help="How many of the last lines.")
    ] = 50,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on as Neo4j writes, until Ctrl-C.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Neo4j's detailed log instead of its short one.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the end of Neo4j's log. Exit code 3: Neo4j has never run here.

    Example: graphsvc db logs --lines 20 --follow
    """
    layout = local_neo4j().layout
    log = layout.debug_log if debug else layout.neo4j_log
    if not log.exists():
        typer.echo(f"graphsvc: there is no log at {log}", err=True)
        raise typer.Exit(NOT_RUNNING)
    with log.open(encoding="utf-8", errors="replace") as file:
        last = [line.rstrip("\n") for line in deque(file, maxlen=lines)]
        typer.echo(json.dumps({"file": str(log), "lines": last}) if as_json else "\n".join(last))
    if follow and not as_json:
        follow_file(log)


def follow_file(log: Path) -> None:
    """Prints what is added to a log, through its rotation, until interrupted."""
    position = log.stat().st_size
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(FOLLOW_INTERVAL_S)
            size = log.stat().st_size if log.exists() else 0
            if size < position:
                position = 0  # rotated
            if size > position:
                with log.open("rb") as file:
                    file.seek(position)
                    added = file.read()
                position += len(added)
                typer.echo(added.decode("utf-8", "replace"), nl=False)
