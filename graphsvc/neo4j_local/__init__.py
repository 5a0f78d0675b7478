"""Neo4j Community run by the service itself: fetched, started, watched and stopped, nothing to install."""

from graphsvc.neo4j_local.errors import LocalNeo4jError
from graphsvc.neo4j_local.server import LocalNeo4j, RunningNeo4j

__all__ = ["LocalNeo4j", "LocalNeo4jError", "RunningNeo4j"]
