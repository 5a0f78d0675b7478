"""`graphsvc up | down | status | serve`: the service at the terminal (spec 10, 12)."""

import json
import subprocess
import sys
import time
from typing import Annotated, Any

import filelock
import httpx
import psutil
import typer

from graphsvc import server
from graphsvc.database import managed_neo4j
from graphsvc.neo4j_local import process
from graphsvc.settings import Settings

NOT_RUNNING = 3
_READY_DEADLINE_S = 150.0  # Neo4j has 120 s of it
_STOP_DEADLINE_S = 20.0
_POLL_S = 0.1
_START_TIME_TOLERANCE_S = 60.0
_SHOWN = ("base_url", "token_file", "bolt_url", "neo4j_user", "neo4j_password_file", "browser_url", "pid")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]


def read_state(settings: Settings) -> dict[str, Any] | None:
    """What `up` started in this home, if it still runs."""
    try:
        state: dict[str, Any] = json.loads(settings.state_file.read_text(encoding="utf-8"))
        running = psutil.Process(state["pid"])
        # Start times are told relative to a clock that may be set; the command line makes a reused number unlikely.
        near = abs(running.create_time() - state["started_at"]) < _START_TIME_TOLERANCE_S
        return state if near and not {"serve", "up"}.isdisjoint(running.cmdline()) else None
    except (FileNotFoundError, json.JSONDecodeError, KeyError, psutil.Error):
        return None


def is_ready(base_url: str) -> bool:
    """Whether the service says that it can answer."""
    try:
        return httpx.get(f"{base_url}/ready", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def start_service(settings: Settings) -> dict[str, Any]:
    """Start Neo4j and the service in the background unless they run; return the state when it is ready.

    Raises LocalNeo4jError, ServeError with the last lines of the log.
    """
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    log_file = settings.home / "service.log"
    with filelock.FileLock(settings.home / "up.lock"):
        child: subprocess.Popen[bytes] | None = None
        if read_state(settings) is None:
            if settings.neo4j_uri is None:
                # Fetched here, so that its progress is seen; started by the child, which knows its own address.
                managed_neo4j(settings).fetch()
            with log_file.open("ab") as log:
                child = subprocess.Popen(
                    [sys.executable, "-m", "graphsvc", "serve"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        deadline = time.monotonic() + _READY_DEADLINE_S
        while time.monotonic() < deadline:
            state = read_state(settings)
            if state and is_ready(state["base_url"]):
                return state
            if child and child.poll() is not None:
                break
            time.sleep(_POLL_S)
    lines = (
        log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-10:] if log_file.exists() else []
    )
    raise server.ServeError("the service did not become ready\n" + "\n".join(lines))


def up(
    as_json: Json = False,
    foreground: Annotated[bool, typer.Option("--foreground", help="Stay, and stop with Ctrl-C.")] = False,
) -> None:
    """Start Neo4j (if managed) and the HTTP service in the background; return when it is ready.

    Example: graphsvc up --json
    """
    settings = Settings()
    if foreground:
        server.serve(settings)
        return
    state = start_service(settings)
    if as_json:
        typer.echo(json.dumps({key: state[key] for key in _SHOWN}))
        return
    for key in _SHOWN:
        if state[key] is not None:
            typer.echo(f"{key:20} {state[key]}")
    typer.echo(f"{'docs':20} {state['base_url']}/docs")


def down(as_json: Json = False) -> None:
    """Stop the service, and Neo4j if it is the managed one.

    Example: graphsvc down
    """
    settings = Settings()
    state = read_state(settings)
    if state:
        process.end(psutil.Process(state["pid"]), _STOP_DEADLINE_S)
        settings.state_file.unlink(missing_ok=True)
    database = managed_neo4j(settings).stop() if settings.neo4j_uri is None else False
    if as_json:
        typer.echo(json.dumps({"service_stopped": bool(state), "neo4j_stopped": database}))
    else:
        typer.echo("stopped" if state or database else "nothing was running")


def status(as_json: Json = False) -> None:
    """Say what runs in this home. Exit code 3: nothing does.

    Example: graphsvc status
    """
    settings = Settings()
    state = read_state(settings)
    if state is None:
        typer.echo(json.dumps({"running": False}) if as_json else "not running")
        raise typer.Exit(NOT_RUNNING)
    shown = {"running": True, "ready": is_ready(state["base_url"]), **{key: state[key] for key in _SHOWN}}
    if as_json:
        typer.echo(json.dumps(shown))
        return
    for key, value in shown.items():
        typer.echo(f"{key:20} {value}")


def serve() -> None:
    """Run the service in the foreground (containers, process managers).

    Example: GRAPHSVC_NEO4J_URI=neo4j://db:7687 graphsvc serve
    """
    server.serve(Settings())
