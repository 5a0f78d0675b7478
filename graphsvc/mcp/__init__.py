"""MCP: seven tools over the table of operations (spec 09). No query, no scope rule and no formatting lives here."""
