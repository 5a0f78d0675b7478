"""Runs the HTTP service: database, socket, worker processes (spec 10, 12)."""

import ipaddress
import json
import os
import signal
import socket
from typing import Final

import psutil
import uvicorn
from uvicorn.supervisors import Multiprocess

from graphsvc.configuration import ConfigurationError, load_configuration
from graphsvc.database import DatabaseAddress, database_address
from graphsvc.private_file import write_private
from graphsvc.resolvers.registry import Registry
from graphsvc.settings import Settings

DEFAULT_PORT: Final = 8737
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
        "graphsvc.worker:app_factory",
        factory=True,
        workers=settings.http_workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        h11_max_incomplete_event_size=64 * 1024,
    )
    # The server answers what is in flight and then raises the signal again: that is the end, and a clean one.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    try:
        if settings.http_workers > 1:
            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        settings.state_file.unlink(missing_ok=True)


def _leave(_number: int, _frame: object) -> None:
    raise SystemExit(0)


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
