"""Pure rules: no I/O, no FastAPI, no Neo4j (a test enforces it)."""
