"""The HTTP application: reads like the table of contents (spec 09)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException

from graphsvc import __version__, limits
from graphsvc.auth import Authenticator
from graphsvc.bookmarks import BookmarkSeal, service_secret
from graphsvc.configuration import load_configuration
from graphsvc.doors import Doors
from graphsvc.errors import DeadlineExceeded, GraphsvcError, MethodNotAllowed, NotFound, NotReady, Unavailable
from graphsvc.graph import Graph
from graphsvc.http.browser_files import BrowserFiles
from graphsvc.http.gate import Gate
from graphsvc.http.openapi import describe
from graphsvc.http.page import Page
from graphsvc.http.routes import endpoint
from graphsvc.mcp.endpoint import McpEndpoint
from graphsvc.neo4j_local.config import GUIDE_PATH, STYLE_PATH
from graphsvc.operations import OPERATIONS
from graphsvc.problems import problem_response
from graphsvc.rate import RateLimiter
from graphsvc.resolvers.registry import Registry
from graphsvc.schema import check_ready
from graphsvc.service.documents import GraphDocuments
from graphsvc.settings import Settings
from graphsvc.telemetry import REQUEST_ID, configure_logging, metrics


def create_app(settings: Settings, graph: Graph) -> FastAPI:
    """The application over this graph. Nothing is sent to the database before the first request."""
    configure_logging(settings.log_level)
    secret = (
        settings.secret.get_secret_value().encode()
        if settings.secret
        else service_secret(settings.home / "secret")
    )
    doors = Doors(
        graph,
        Authenticator(graph, settings.auth_cache_s),
        BookmarkSeal(secret),
        RateLimiter(settings.rate_per_principal_per_s),
        Registry(load_configuration(settings.configuration_file).resolvers, GraphDocuments(graph)),
    )
    mcp = McpEndpoint(doors, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mcp.running():
            yield
        await graph.close()

    app = FastAPI(
        title="graphsvc",
        version=__version__,
        description="Agent memory as a Neo4j graph: scoped, budgeted, explainable.",
        lifespan=lifespan,
        docs_url="/docs",
        redoc_url=None,
    )
    app.state.prepared = False
    app.state.graph = graph
    for operation in OPERATIONS.values():
        app.add_api_route(
            f"/v1/{operation.name}",
            endpoint(operation, doors),
            methods=["POST", "GET"] if operation.get else ["POST"],
            include_in_schema=False,
            response_model=None,
        )
    app.add_route("/mcp", mcp, include_in_schema=False)  # type: ignore[arg-type] # an ASGI application is a route too
    app.add_route("/", Page(settings.browser_url).answer, methods=["GET"], include_in_schema=False)
    browser_files = BrowserFiles(settings.service_url)
    app.add_route(STYLE_PATH, browser_files.style, methods=["GET"], include_in_schema=False)
    app.add_route(GUIDE_PATH, browser_files.guide, methods=["GET"], include_in_schema=False)
    _add_health(app, graph, doors)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    app.add_exception_handler(GraphsvcError, _on_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_middleware(
        Gate,
        deadline_ms=settings.request_deadline_ms,
        in_flight_max=settings.requests_in_flight_max,
        body_bytes_max=limits.BODY_BYTES_MAX,
        body_bytes_max_by_path={"/v1/put_document": limits.DOCUMENT_BODY_BYTES_MAX},
    )
    return app


def _add_health(app: FastAPI, graph: Graph, doors: Doors) -> None:
    @app.get("/live", tags=["health"], summary="Is the process there?", response_model=None)
    async def live() -> dict[str, str]:
        return {"status": "live"}

    @app.get("/ready", tags=["health"], summary="Can it answer?", response_model=None)
    async def ready() -> dict[str, str]:
        if not app.state.prepared:
            raise NotReady
        try:
            await check_ready(graph)
        except (Unavailable, DeadlineExceeded) as error:
            raise NotReady from error
        return {"status": "ready"}

    @app.get(
        "/metrics",
        tags=["health"],
        summary="Prometheus metrics (needs admin on all scopes)",
        response_model=None,
    )
    async def prometheus(request: Request) -> Response:
        (await doors.principal(request.headers.get("authorization"))).require_everywhere("admin")
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)


async def _on_error(_request: Request, error: Any) -> Response:
    return problem_response(error, REQUEST_ID.get())


async def _on_http_error(_request: Request, error: Any) -> Response:
    found: GraphsvcError = MethodNotAllowed() if error.status_code == 405 else NotFound()
    response = problem_response(found, REQUEST_ID.get())
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response
