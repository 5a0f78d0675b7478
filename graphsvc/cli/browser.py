"""`graphsvc browser`: the graph in Neo4j Browser (spec 10)."""

import json
import os
import sys
import webbrowser
from typing import Annotated

import typer

from graphsvc.cli.service import NOT_RUNNING, Json, read_state
from graphsvc.neo4j_local.config import GUIDE_PATH, STYLE_PATH
from graphsvc.server import ServeError
from graphsvc.settings import Settings


def browser(
    only_print: Annotated[bool, typer.Option("--print", help="Print the address and open nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Open Neo4j Browser with the connection filled in, and say where the password is. Exit code 3: nothing runs.

    The Browser of the managed Neo4j applies the style and opens the guide when it connects; in any other, run the two
    printed commands. Without a desktop the address is only printed.

    Example: graphsvc browser
    """
    settings = Settings()
    state = read_state(settings)
    if state is None:
        typer.echo(json.dumps({"running": False}) if as_json else "not running: start it with graphsvc up")
        raise typer.Exit(NOT_RUNNING)
    address = state["browser_url"] or settings.browser_url
    if address is None:
        raise ServeError(
            f"this Neo4j ({state['bolt_url']}) is not the managed one: set GRAPHSVC_BROWSER_URL to the address of its "
            "Browser"
        )
    service_url = (settings.service_url or state["base_url"]).rstrip("/")
    shown = {
        "browser_url": address,
        "user": state["neo4j_user"],
        "password_file": state["neo4j_password_file"],
        "style_command": f":style {service_url}{STYLE_PATH}",
        "guide_command": f":play {service_url}{GUIDE_PATH}",
    }
    if as_json:
        typer.echo(json.dumps(shown))
        return
    for key, value in shown.items():
        if value is not None:
            typer.echo(f"{key:20} {value}")
    if not only_print and sys.stdout.isatty() and has_desktop():
        webbrowser.open(address)


def has_desktop() -> bool:
    """Whether a window can be opened here; without one, `webbrowser` would start a browser inside the terminal."""
    on_linux = sys.platform.startswith("linux")
    return not on_linux or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
