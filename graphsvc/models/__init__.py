"""Requests and answers of every operation, shared by HTTP, MCP, the client and the command line (spec 12)."""
