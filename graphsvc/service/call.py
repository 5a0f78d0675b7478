"""What a use-case knows of the request it carries out."""

from dataclasses import dataclass, field
from datetime import datetime

from graphsvc.graph import Graph
from graphsvc.resolvers.registry import Registry
from graphsvc.scope import Principal


@dataclass(frozen=True, slots=True)
class Call:
    """One authenticated request. `bookmarks` are raw driver bookmarks that the answer must not be older than.

    `resolvers` is there in the service, and not at the command line.
    """

    graph: Graph
    principal: Principal
    request_id: str
    bookmarks: tuple[str, ...] = ()
    idempotency_key: str | None = None
    body_sha256: str = ""
    load_id: str | None = None
    as_of: datetime | None = field(default=None)
    resolvers: Registry | None = None
