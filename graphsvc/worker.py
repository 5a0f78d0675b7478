"""One worker of the HTTP service: the application, what it prepares in the database, and the sealing of the log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI

from graphsvc.database import DatabaseAddress, connect
from graphsvc.errors import GraphsvcError
from graphsvc.graph import Graph
from graphsvc.http.app import create_app
from graphsvc.operator_token import ensure_operator
from graphsvc.schema import apply_schema
from graphsvc.server import ServeError
from graphsvc.service.sealing import seal_for_ever
from graphsvc.settings import Settings
from graphsvc.telemetry import log
from graphsvc.warmup import warm_up

_RETRY_S: Final = 0.5


def app_factory() -> FastAPI:
    """The application of one worker, from the environment."""
    settings = Settings()
    if settings.neo4j_uri is None:
        raise ServeError(
            "a worker needs GRAPHSVC_NEO4J_URI; start the service with `graphsvc up` or `graphsvc serve`"
        )
    address = DatabaseAddress(settings.neo4j_uri, settings.neo4j_user, settings.neo4j_password_value() or "")
    graph = connect(settings, address)
    app = create_app(settings, graph)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: FastAPI) -> AsyncIterator[Any]:
        preparing = asyncio.create_task(prepare(running, settings, graph))
        async with inner(running) as state:
            yield state
            preparing.cancel()

    app.router.lifespan_context = lifespan
    return app


async def prepare(app: FastAPI, settings: Settings, graph: Graph) -> None:
    """Schema, the shared scope and the operator's token, as soon as the database answers; until then not ready.

    After that this is the sealer of the log (spec 08).
    """
    while True:
        try:
            await apply_schema(graph)
            await ensure_operator(graph, settings.token_file)
        except GraphsvcError as error:
            log.warning("not_ready_yet", error=type(error).__name__)
            await asyncio.sleep(_RETRY_S)
        except Exception as error:
            log.error("preparing_failed", error=type(error).__name__, detail=str(error)[:200])
            await asyncio.sleep(_RETRY_S)
        else:
            app.state.prepared = True
            break
    await warm_up(graph)
    await seal_for_ever(graph, settings)
