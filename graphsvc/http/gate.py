"""What every request passes, whatever its route: an id, room in the house, a body of bounded size, a deadline, times.

Plain ASGI, so that it costs little and sees everything.
"""

import time
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphsvc.errors import BodyTooLarge, GraphsvcError, InternalError, Overloaded
from graphsvc.graph import DB_TIME_S, DEADLINE
from graphsvc.http.timing import TIMES, Times
from graphsvc.ids import new_id
from graphsvc.problems import problem_response
from graphsvc.telemetry import REQUEST_ID, log, metrics

_UNLIMITED_PATHS: Final = frozenset({"/live", "/ready", "/metrics"})


class Gate:
    """Wraps the application; see the module."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        deadline_ms: int,
        in_flight_max: int,
        body_bytes_max: int,
        body_bytes_max_by_path: Mapping[str, int],
    ) -> None:
        self.app = app
        self.deadline_s = deadline_ms / 1000
        self.in_flight_max = in_flight_max
        self.body_bytes_max = body_bytes_max
        self.body_bytes_max_by_path = body_bytes_max_by_path
        self.in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = new_id("req")
        REQUEST_ID.set(request_id)
        times = Times()
        TIMES.set(times)
        db_times: list[float] = []
        DB_TIME_S.set(db_times)
        DEADLINE.set(time.monotonic() + self.deadline_s)
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                headers["Server-Timing"] = times.header(sum(db_times))
                headers.setdefault("Cache-Control", "no-store")
                headers.setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        limited = scope["path"] not in _UNLIMITED_PATHS
        if limited and self.in_flight >= self.in_flight_max:
            await problem_response(Overloaded(), request_id)(scope, receive, send_with_headers)
            return
        self.in_flight += limited
        metrics.in_flight.set(self.in_flight)
        try:
            await self.app(scope, self._bounded(scope, receive), send_with_headers)
        except GraphsvcError as error:
            if started:
                raise
            await problem_response(error, request_id)(scope, receive, send_with_headers)
        except Exception as error:
            log.error("internal_error", error=type(error).__name__, path=scope["path"], exc_info=False)
            log.debug("internal_error_trace", exc_info=True)
            if started:
                raise
            await problem_response(InternalError(), request_id)(scope, receive, send_with_headers)
        finally:
            self.in_flight -= limited
            metrics.in_flight.set(self.in_flight)

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """The receiving side, ending in BodyTooLarge as soon as the body is known to be too large."""
        bytes_max = self.body_bytes_max_by_path.get(scope["path"], self.body_bytes_max)
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > bytes_max:
            raise BodyTooLarge(f"a body may have {bytes_max} bytes")
        received = 0

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > bytes_max:
                    raise BodyTooLarge(f"a body may have {bytes_max} bytes")
            return message

        return receive_bounded
