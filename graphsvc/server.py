"""Runs the HTTP service: database, socket, workers (spec 10, 12)."""

import asyncio
import ipaddress
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import psutil
import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from graphsvc.auth import OPERATOR, OPERATOR_ACTIONS, Authenticator, NewToken, create_token
from graphsvc.configuration import ConfigurationError, load_configuration
from graphsvc.database import DatabaseAddress, connect, database_address
from graphsvc.errors import GraphsvcError, Unauthorized
from graphsvc.graph import Graph, Transaction
from graphsvc.http.app import create_app
from graphsvc.ids import new_id
from graphsvc.private_file import write_private
from graphsvc.resolvers.registry import Registry
from graphsvc.schema import apply_schema
from graphsvc.scope import SHARED, WILDCARD
from graphsvc.service.sealing import seal_for_ever
from graphsvc.settings import Settings
from graphsvc.telemetry import log
from graphsvc.warmup import warm_up

DEFAULT_PORT: Final = 8737
_RETRY_S: Final = 0.5
_SHUTDOWN_S: Final = 10


class ServeError(RuntimeError):
    """The service cannot be started as it is configured; the message says why."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(settings: Settings) -> socket.socket:
    """A listening socket as the settings say. Raises ServeError."""
    host = settings.http_host
    if not is_loopback(host) and not settings.http_allow_plaintext:
        raise ServeError(
            f"{host} can be reached from other machines, and the service itself speaks plain HTTP: put TLS in front "
            "and set GRAPHSVC_HTTP_ALLOW_PLAINTEXT=true, or listen on 127.0.0.1"
        )
    ports = [settings.http_port] if settings.http_port is not None else [DEFAULT_PORT, 0]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            listening.close()
            if port == ports[-1]:
                raise ServeError(f"cannot listen on {host}:{port}: {error.strerror}") from error
            continue
        listening.listen(2048)
        return listening
    raise AssertionError("unreachable: the last port returns or raises")


def serve(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT. Raises ServeError, LocalNeo4jError."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        Registry(load_configuration(settings.configuration_file).resolvers)
    except ConfigurationError as error:
        raise ServeError(str(error)) from error
    listening = bind(settings)
    host, port = listening.getsockname()[:2]
    base_url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    service_url = settings.service_url or base_url
    address = database_address(settings, service_url)
    # Workers are new processes: they find the database by the same settings as this one.
    os.environ["GRAPHSVC_NEO4J_URI"] = address.uri
    os.environ["GRAPHSVC_NEO4J_USER"] = address.user
    os.environ["GRAPHSVC_SERVICE_URL"] = service_url
    if address.browser_url and settings.browser_url is None and is_loopback(host):
        os.environ["GRAPHSVC_BROWSER_URL"] = address.browser_url
    if address.password_file:
        os.environ["GRAPHSVC_NEO4J_PASSWORD_FILE"] = address.password_file
    write_state(settings, base_url, address)
    config = uvicorn.Config(
        "graphsvc.server:app_factory",
        factory=True,
        workers=settings.http_workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        h11_max_incomplete_event_size=64 * 1024,
    )
    try:
        if settings.http_workers > 1:
            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        settings.state_file.unlink(missing_ok=True)


def write_state(settings: Settings, base_url: str, address: DatabaseAddress) -> None:
    """Say where everything answers, for `up`, `status`, `down` and scripts."""
    state = {
        "base_url": base_url,
        "token_file": str(settings.token_file),
        "bolt_url": address.uri,
        "neo4j_user": address.user,
        "neo4j_password_file": address.password_file,
        "browser_url": address.browser_url,
        "pid": os.getpid(),
        "started_at": psutil.Process().create_time(),
    }
    write_private(settings.state_file, json.dumps(state))


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
