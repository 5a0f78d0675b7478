"""The command line: `graphsvc --help` (spec 09).

Exit codes: 0 done, 1 it could not be done (the message says why), 2 wrong usage; a command's help names any other.
"""

import sys

import typer

from graphsvc import __version__
from graphsvc.cli import audit, care, db, reading, service, tokens
from graphsvc.cli.browser import browser
from graphsvc.cli.demo import demo
from graphsvc.cli.ingest import ingest_command
from graphsvc.cli.load import load
from graphsvc.cli.mcp import mcp
from graphsvc.client import ClientError
from graphsvc.configuration import ConfigurationError
from graphsvc.errors import GraphsvcError
from graphsvc.neo4j_local import LocalNeo4jError
from graphsvc.server import ServeError

app = typer.Typer(
    name="graphsvc",
    help="Agent memory as a Neo4j graph: scoped, budgeted, explainable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(db.app, name="db")
app.add_typer(audit.app, name="audit")
app.add_typer(tokens.token_app, name="token")
app.add_typer(tokens.scope_app, name="scope")
for command in (
    demo,
    service.up,
    service.down,
    service.status,
    service.serve,
    browser,
    load,
    reading.search,
    mcp,
):
    app.command()(command)
app.command("open")(reading.open_)
app.command("ingest")(ingest_command)
app.command()(care.export)
app.command()(care.backup)
app.command()(care.restore)
app.command()(care.doctor)
app.command()(care.erase)
app.command("import")(care.import_)


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """Run the command line; errors meant for people end in one line and exit code 1."""
    try:
        app()
    except (ClientError, ConfigurationError, GraphsvcError, LocalNeo4jError, ServeError) as error:
        typer.echo(f"graphsvc: {error}", err=True)
        for problem in getattr(error, "problems", ()):
            typer.echo(f"  {problem.path}: {problem.reason}", err=True)
        sys.exit(1)
