"""`graphsvc token` and `graphsvc scope`: who may do what, decided on the service's own machine (spec 09, 12)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar

import typer
from pydantic import ValidationError

from graphsvc.auth import NewToken, create_token
from graphsvc.database import connect, database_address
from graphsvc.graph import Graph, Transaction
from graphsvc.ids import new_id
from graphsvc.models.admin import ScopeInput
from graphsvc.models.common import problems_of
from graphsvc.schema import apply_schema
from graphsvc.scope import ACTIONS, PrincipalKind
from graphsvc.settings import Settings

T = TypeVar("T")
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]

token_app = typer.Typer(help="Make, list and revoke tokens.", no_args_is_help=True)
scope_app = typer.Typer(help="Make and list scopes.", no_args_is_help=True)


def with_graph(work: Callable[[Graph], Awaitable[T]]) -> T:
    """Run something on the database of the settings, with the schema in place."""

    async def run() -> T:
        settings = Settings()
        graph = connect(settings, database_address(settings))
        try:
            await apply_schema(graph)
            return await work(graph)
        finally:
            await graph.close()

    return asyncio.run(run())


def parse_grants(grants: list[str]) -> dict[str, list[str]]:
    """`project:atlas=read,write` as a mapping. Raises typer.BadParameter naming the grant."""
    found: dict[str, list[str]] = {}
    for grant in grants:
        scope, equals, actions = grant.partition("=")
        names = [action.strip() for action in actions.split(",") if action.strip()]
        wrong = [name for name in names if name not in ACTIONS]
        if not equals or not names or wrong:
            raise typer.BadParameter(f"'{grant}': write SCOPE=ACTION,… with actions {', '.join(ACTIONS)}")
        if scope != "*":
            try:
                ScopeInput(id=scope)
            except ValidationError as error:
                raise typer.BadParameter(f"'{scope}' is no scope: shared, project:<slug> or *") from error
        found.setdefault(scope, []).extend(names)
    return found


@token_app.command("create")
def token_create(
    principal: Annotated[str, typer.Option(help="Who the token is for.")],
    grant: Annotated[list[str], typer.Option(help="SCOPE=ACTION,… (repeat for more scopes).")],
    kind: Annotated[str, typer.Option(help="agent, human or service.")] = "agent",
    default_scope: Annotated[str | None, typer.Option(help="Where writes go that name no scope.")] = None,
    expires_in_days: Annotated[
        float | None, typer.Option(min=0, help="After this the token is refused.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it, once.

    Example: graphsvc token create --principal agent-1 --grant project:atlas=read,write --grant shared=read
    """
    if kind not in {"agent", "human", "service"}:
        raise typer.BadParameter("kind is agent, human or service")
    grants = parse_grants(grant)
    if kind != "human" and any("approve" in actions for actions in grants.values()):
        raise typer.BadParameter("only a human's token can carry 'approve'")
    kinds: dict[str, PrincipalKind] = {"agent": "agent", "human": "human", "service": "service"}
    expires_at = datetime.now(UTC) + timedelta(days=expires_in_days) if expires_in_days is not None else None
    new = NewToken(principal, kinds[kind], grants, default_scope, expires_at)
    token_id, secret = with_graph(lambda graph: create_token(graph, new, "terminal"))
    if as_json:
        typer.echo(json.dumps({"principal": principal, "token_id": token_id, "token": secret}))
    else:
        typer.echo(f"token_id  {token_id}\ntoken     {secret}\nKeep it: it is not shown again.")


@token_app.command("list")
def token_list(as_json: Json = False) -> None:
    """List all tokens, without their secrets.

    Example: graphsvc token list
    """
    rows = with_graph(lambda graph: graph.read(None, "auth/list_tokens"))
    _print(rows, as_json, ("token_id", "principal", "kind", "expires_at", "revoked_at"))


@token_app.command("revoke")
def token_revoke(token_ids: Annotated[list[str], typer.Argument(help="Ids of tokens.")]) -> None:
    """Revoke tokens; every worker refuses them within 5 s. Exit code 1 when none was there to revoke.

    Example: graphsvc token revoke tok_0123
    """

    async def work(tx: Transaction) -> list[dict[str, Any]]:
        return await tx.run("auth/revoke_tokens", token_ids=token_ids)

    rows, _ = with_graph(lambda graph: graph.transaction(None, work, name="revoke_tokens"))
    typer.echo(f"revoked {len(rows)}")
    if not rows:
        raise typer.Exit(1)


@scope_app.command("create")
def scope_create(
    scope: Annotated[str, typer.Argument(help="shared or project:<slug>.")],
    title: Annotated[str | None, typer.Option(help="For people.")] = None,
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Claims need a human approval.")] = False,
) -> None:
    """Make a scope; one that exists is left as it is.

    Example: graphsvc scope create project:atlas --title Atlas
    """
    try:
        wanted = ScopeInput(id=scope, title=title, sensitive=sensitive)
    except ValidationError as error:
        raise typer.BadParameter("; ".join(problem.reason for problem in problems_of(error))) from error
    row = {**wanted.model_dump(), "creation_id": new_id("req")}

    async def work(tx: Transaction) -> list[dict[str, Any]]:
        return await tx.run("auth/create_scopes", scopes=[row])

    rows, _ = with_graph(lambda graph: graph.transaction(None, work, name="create_scopes"))
    typer.echo("created" if rows[0]["created"] else "existing")


def _print(rows: list[dict[str, Any]], as_json: bool, columns: tuple[str, ...]) -> None:
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        typer.echo("  ".join(f"{column}={row[column]}" for column in columns if row[column] is not None))
