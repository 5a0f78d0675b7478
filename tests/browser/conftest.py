"""A Neo4j of its own with the service beside it, as `graphsvc up` starts them: what Neo4j Browser needs."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.browser.analyst_world import build, command
from tests.browser.neo4j_browser import Neo4jBrowser


@dataclass(frozen=True)
class Analyst:
    """What somebody at the terminal of this machine has."""

    env: dict[str, str]
    state: dict[str, Any]
    """What `graphsvc up --json` printed."""

    def password(self) -> str:
        """The database password, from the file that `graphsvc browser` names."""
        return Path(self.state["neo4j_password_file"]).read_text().strip()


@pytest.fixture(scope="session")
def analyst(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    """The demo world and what people did in it, behind a running service; nothing is started without a browser."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
    env |= {"GRAPHSVC_REQUEST_DEADLINE_MS": "60000"}
    env |= {"GRAPHSVC_HOME": str(tmp_path_factory.mktemp("analyst")), "GRAPHSVC_HTTP_PORT": "0"}
    env |= {"GRAPHSVC_CACHE": os.environ["GRAPHSVC_CACHE"]} if "GRAPHSVC_CACHE" in os.environ else {}
    state = json.loads(command(env, "up", "--json"))
    try:
        database = {
            "GRAPHSVC_NEO4J_URI": state["bolt_url"],
            "GRAPHSVC_NEO4J_PASSWORD_FILE": state["neo4j_password_file"],
        }
        build(env | database, state)
        yield Analyst(env, state)
    finally:
        command(env, "down")


@pytest.fixture(scope="session")
async def neo4j_browser(browser: Browser, analyst: Analyst) -> AsyncIterator[Neo4jBrowser]:
    """Neo4j Browser, opened at the address that `graphsvc browser` names, connected with the password."""
    address = json.loads(command(analyst.env, "browser", "--json"))["browser_url"]
    opened = await Neo4jBrowser.open(browser, address)
    await opened.connect(analyst.password())
    yield opened
    await opened.page.close()
