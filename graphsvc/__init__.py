"""graphsvc: agent memory as a Neo4j graph, scoped, budgeted and explainable."""

__version__ = "0.1.0"
