"""Where a request's time went, for the Server-Timing header (spec 09)."""

import time
from contextvars import ContextVar
from typing import Final


class Times:
    """Marks on the way of one request, in monotonic seconds."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.parsed: float | None = None

    def mark_parsed(self) -> None:
        """The request is authenticated and validated; the use-case begins."""
        self.parsed = time.perf_counter()

    def header(self, db_s: float) -> str:
        """`parse` until the request was understood, `db` waiting for the database, `pack` all the rest."""
        now = time.perf_counter()
        parse_s = (self.parsed or now) - self.started
        pack_s = max(0.0, now - self.started - parse_s - db_s)
        return f"parse;dur={parse_s * 1e3:.2f}, db;dur={db_s * 1e3:.2f}, pack;dur={pack_s * 1e3:.2f}"


TIMES: Final[ContextVar[Times | None]] = ContextVar("times", default=None)
