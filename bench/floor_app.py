"""The service with one more route, `/bench/floor`: `RETURN 1` through the same driver, pool and gate."""

from fastapi import FastAPI

from graphsvc.worker import app_factory


def app_with_floor() -> FastAPI:
    """The application for `bench/latency.py`."""
    app = app_factory()
    graph = app.state.graph

    @app.get("/bench/floor")
    async def floor() -> dict[str, bool]:
        await graph.ping()
        return {"ok": True}

    return app
