"""`graphsvc search` and `graphsvc open`: what memory holds, readable in a terminal (spec 09).

They ask the running service as any client does, under the same rights and the same budget.
"""

from typing import Annotated, Any

import typer

from graphsvc.cli.show import show_opened, show_search, terminal
from graphsvc.client import Client
from graphsvc.client.errors import RequestRefused
from graphsvc.client.exchange import body_of

NOTHING_FOUND = 4

Json = Annotated[bool, typer.Option("--json", help="Print the answer as the service sent it.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="Size that the whole answer may have.")]
Unit = Annotated[str, typer.Option("--unit", help="What the limit counts: chars, bytes or tokens.")]


def ask(operation: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The answer of a reading operation as sent, and parsed. Raises ClientError."""
    with Client.local() as client:
        response = client.send(operation, body_of(fields), repeatable=True)
        if response.status_code >= 400:
            raise RequestRefused.of(response)
        return response.text, response.json() if fields.get("render") != "block" else {}


def search(
    query: Annotated[str, typer.Argument(help="Plain text, any language; never search syntax.")],
    project: Annotated[str | None, typer.Option(help="Strictly inside this project.")] = None,
    hint: Annotated[str | None, typer.Option(help="Prefer this project, hide nothing.")] = None,
    scope: Annotated[list[str] | None, typer.Option(help="Only this scope (repeat for more).")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only things of this kind (repeat for more).")
    ] = None,
    limit: Limit = 16_000,
    unit: Unit = "chars",
    pointers: Annotated[bool, typer.Option(help="Also show which things the query names.")] = True,
    block: Annotated[bool, typer.Option("--block", help="Print one framed text block for a prompt.")] = False,
    as_json: Json = False,
) -> None:
    """Find what memory holds: evidence, pointers, and how the budget was spent. Exit code 4: nothing found.

    Example: graphsvc search "who does same-day printing?" --project atlas
    """
    if project is not None and hint is not None:
        raise typer.BadParameter("--project is strict, --hint only prefers: give one of them")
    fields: dict[str, Any] = {
        "query": query,
        "project": project,
        "project_hint": hint,
        "scopes": scope or None,
        "filters": {"kinds": kind} if kind else None,
        "budget": {"unit": unit, "limit": limit},
        "pointers": pointers,
        "render": "block" if block else None,
    }
    text, answer = ask("search_nodes" if project is None else "search_by_project", fields)
    if as_json or block:
        typer.echo(text, nl=as_json)
    else:
        show_search(terminal(), query, answer)
    if answer and not answer["evidence"]:
        raise typer.Exit(NOTHING_FOUND)


def open_(
    names: Annotated[list[str], typer.Argument(help="Exact names, aliases or ids.")],
    neighbours: Annotated[bool, typer.Option("--neighbours", help="Add one hop.")] = False,
    limit: Limit = 16_000,
    unit: Unit = "chars",
    as_json: Json = False,
) -> None:
    """Open things by their exact names or ids. Exit code 4: one of them is missing or ambiguous.

    Example: graphsvc open "Acme Print" "Paul Pack" --neighbours
    """
    fields = {"names": names, "neighbours": neighbours, "budget": {"unit": unit, "limit": limit}}
    text, answer = ask("open_nodes", fields)
    if as_json:
        typer.echo(text)
    else:
        show_opened(terminal(), answer)
    if answer["missing"] or answer["ambiguous"]:
        raise typer.Exit(NOTHING_FOUND)
