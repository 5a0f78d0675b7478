"""The operator's token: made once, kept in a file of the home, used by the command line (spec 09)."""

from pathlib import Path

from graphsvc.auth import OPERATOR, OPERATOR_ACTIONS, Authenticator, NewToken, create_token
from graphsvc.errors import Unauthorized
from graphsvc.graph import Graph, Transaction
from graphsvc.ids import new_id
from graphsvc.private_file import write_private
from graphsvc.scope import SHARED, WILDCARD


def read_token(token_file: Path) -> str | None:
    """The token that this file keeps; None where there is no file."""
    try:
        return token_file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


async def ensure_operator(graph: Graph, token_file: Path) -> None:
    """Make sure that `shared` exists and that the token in this file works, making a new one where it does not."""
    shared = {"id": SHARED, "title": "Shared", "sensitive": False, "creation_id": new_id("req")}

    async def work(tx: Transaction) -> None:
        await tx.run("auth/create_scopes", scopes=[shared])

    await graph.transaction(None, work, name="create_scopes")
    kept = read_token(token_file)
    if kept is not None:
        try:
            await Authenticator(graph, 0).authenticate(f"Bearer {kept}")
        except Unauthorized:
            pass
        else:
            return
    token_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = NewToken(OPERATOR, "service", {WILDCARD: OPERATOR_ACTIONS}, default_scope=SHARED)
    _, secret = await create_token(graph, new, OPERATOR)
    write_private(token_file, secret)
