"""Which Neo4j: the address in the settings, or the managed local one (spec 10)."""

from dataclasses import dataclass

from graphsvc.graph import Graph
from graphsvc.neo4j_local import LocalNeo4j
from graphsvc.settings import Settings


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """How to reach the database. `browser_url` is known for the managed one only."""

    uri: str
    user: str
    password: str
    browser_url: str | None = None
    password_file: str | None = None


def managed_neo4j(settings: Settings, service_url: str | None = None) -> LocalNeo4j:
    """The managed Neo4j of this home, running or not."""
    return LocalNeo4j(
        settings.home,
        settings.cache,
        bolt_port=settings.bolt_port,
        http_port=settings.neo4j_http_port,
        heap_mb=settings.neo4j_heap_mb,
        service_url=service_url,
    )


def database_address(settings: Settings, service_url: str | None = None) -> DatabaseAddress:
    """The address to use; starts the managed Neo4j when none is set. Raises LocalNeo4jError."""
    if settings.neo4j_uri is not None:
        return DatabaseAddress(settings.neo4j_uri, settings.neo4j_user, settings.neo4j_password_value() or "")
    running = managed_neo4j(settings, service_url).start()
    return DatabaseAddress(
        running.bolt_url,
        running.user,
        running.password_file.read_text(encoding="utf-8").strip(),
        running.browser_url,
        str(running.password_file),
    )


def connect(settings: Settings, address: DatabaseAddress) -> Graph:
    """A graph at this address, sized as the settings say."""
    return Graph.connect(
        address.uri,
        address.user,
        address.password,
        pool_size=settings.neo4j_pool_size,
        database=settings.neo4j_database,
    )
