"""Metrics, the request id and structured logs without stored text (spec 09)."""

import logging
import sys
from contextvars import ContextVar
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REQUEST_ID: Final[ContextVar[str]] = ContextVar("request_id", default="")

_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class Metrics:
    """The Prometheus metrics of one process. Labels are operation and query names and outcomes, never content."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "graphsvc_requests_total", "Requests answered.", ["operation", "status"], registry=self.registry
        )
        self.request_seconds = Histogram(
            "graphsvc_request_seconds",
            "Time to answer.",
            ["operation"],
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.in_flight = Gauge(
            "graphsvc_requests_in_flight", "Requests in the house.", registry=self.registry
        )
        self.db_seconds = Histogram(
            "graphsvc_db_seconds",
            "Time spent in the database.",
            ["query"],
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.db_retries = Counter(
            "graphsvc_db_retries_total",
            "Queries and transactions tried again.",
            ["query"],
            registry=self.registry,
        )
        self.outcomes = Counter(
            "graphsvc_outcomes_total",
            "Outcomes of written items.",
            ["operation", "outcome"],
            registry=self.registry,
        )
        self.budget_used_share = Histogram(
            "graphsvc_budget_used_share",
            "Share of the budget that answers used.",
            ["operation"],
            buckets=(0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
            registry=self.registry,
        )


metrics: Final = Metrics()


def configure_logging(level: str) -> None:
    """JSON lines on standard error: event, level, time, request id. Standard output stays free for answers."""

    def add_request_id(
        _logger: object, _name: str, event: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        request_id = REQUEST_ID.get()
        if request_id:
            event["request_id"] = request_id
        return event

    structlog.configure(
        processors=[
            add_request_id,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    # The driver's and the server's own loggers may quote query texts or addresses: warnings only, never parameters.
    for name in ("neo4j", "uvicorn", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.WARNING)


log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("graphsvc")
