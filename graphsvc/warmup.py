"""Has the database plan every query before the first client waits for it: planning takes far longer than running.

Queries run with empty parameters for a principal that sees an empty scope; those that write run in a transaction that
is never committed. What fails is left to its first real use.
"""

from typing import Any, Final

from graphsvc.errors import GraphsvcError
from graphsvc.graph import Graph, Transaction
from graphsvc.queries import CypherQuery, Q
from graphsvc.scope import Principal
from graphsvc.telemetry import log

_NOTHING: Final[tuple[tuple[str, Any], ...]] = (
    ("LIST", []),
    ("MAP", {}),
    ("STRING", ""),
    ("INTEGER", 1),
    ("BOOLEAN", False),
    ("FLOAT", 0.0),
)
_PLACE: Final = "project:warm-up"
_NOBODY: Final = Principal(
    "nobody", "service", {_PLACE: frozenset({"read", "write"})}, frozenset({_PLACE}), _PLACE, ""
)
"""May write to a scope that is not there, so that whatever a query makes of nothing would be nobody's."""


def empty_parameters(query: CypherQuery) -> dict[str, Any]:
    """A value of the right type for each parameter that does not come from a scope."""
    scoped = _NOBODY.write_scope(None).parameters(query.params)
    return {
        name: next((value for prefix, value in _NOTHING if kind.startswith(prefix)), None)
        for name, kind in query.types.items()
        if name not in scoped
    }


async def warm_up(graph: Graph) -> None:
    """Run every gated query once, to no effect."""
    scope = _NOBODY.write_scope(None)
    for query in Q.values():
        if query.scope != "gated":
            continue
        try:
            if query.access == "read":
                await graph.read(scope, query, **empty_parameters(query))
            else:
                await _rehearse(graph, query)
        except GraphsvcError:
            return
        except Exception as error:  # a query may refuse empty parameters; it is planned all the same
            log.debug("not_warmed_up", query=query.name, error=type(error).__name__)


async def _rehearse(graph: Graph, query: CypherQuery) -> None:
    async with graph.rehearsal() as rehearsed:

        async def work(tx: Transaction) -> None:
            await tx.run(query, **empty_parameters(query))

        await rehearsed.transaction(_NOBODY.write_scope(None), work)
