"""One real Neo4j and one real service process for the whole run; scopes of its own for every test.

Neo4j is the one that GRAPHSVC_TEST_NEO4J_URI names (with GRAPHSVC_TEST_NEO4J_USER and …_PASSWORD), else one in a container
where an engine and the image in GRAPHSVC_TEST_NEO4J_IMAGE answer, else the managed one. The database is never mocked.
"""

import itertools
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from playwright.async_api import Browser, async_playwright

from graphsvc.neo4j_local import LocalNeo4j
from graphsvc.settings import Settings
from tests.harness.needs import absent
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY, summary_lines

# How long one example takes says how busy the machine is, not whether a law holds; pytest-timeout bounds each test.
hypothesis.settings.register_profile("graphsvc", deadline=None)
hypothesis.settings.load_profile("graphsvc")

_numbers = itertools.count(1)
_RUN = os.urandom(3).hex()


@dataclass(frozen=True)
class Database:
    """The Neo4j of this run."""

    bolt_url: str
    user: str
    password: str
    how: str


def pytest_configure(config: pytest.Config) -> None:
    """Settings of the developer's own shell must not reach the tests."""
    if config.pluginmanager.hasplugin("dsession"):
        config.pluginmanager.register(WorkersTally())
    for name in [
        name for name in os.environ if name.startswith("GRAPHSVC_") and not name.startswith("GRAPHSVC_TEST_")
    ]:
        if name != "GRAPHSVC_CACHE":
            del os.environ[name]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker process hands its counts over."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tally"] = dict(TALLY)


class WorkersTally:
    """Adds up what the worker processes have counted, where there are any (pytest-xdist)."""

    @staticmethod
    def pytest_testnodedown(node: Any) -> None:
        """A worker has ended."""
        TALLY.update(getattr(node, "workeroutput", {}).get("tally", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the run has shown, in figures."""
    lines = summary_lines()
    if lines:
        terminalreporter.section("shown by this run")
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A running Neo4j; see the module."""
    uri = os.environ.get("GRAPHSVC_TEST_NEO4J_URI")
    if uri:
        user = os.environ.get("GRAPHSVC_TEST_NEO4J_USER", "neo4j")
        yield Database(uri, user, os.environ.get("GRAPHSVC_TEST_NEO4J_PASSWORD", ""), "given")
        return
    image = os.environ.get("GRAPHSVC_TEST_NEO4J_IMAGE")
    if image:
        from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415 - only where an engine runs

        with Neo4jContainer(image, password="graphsvc-test") as container:
            yield Database(container.get_connection_url(), "neo4j", "graphsvc-test", "container")
        return
    settings = Settings(home=tmp_path_factory.mktemp("neo4j"))
    neo4j = LocalNeo4j(settings.home, settings.cache)
    running = neo4j.start()
    try:
        yield Database(running.bolt_url, running.user, running.password_file.read_text().strip(), "managed")
    finally:
        neo4j.stop()


@pytest.fixture(scope="session")
def service(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """The service that most tests talk to."""
    process = ServiceProcess(
        tmp_path_factory.mktemp("service"),
        database.bolt_url,
        database.user,
        database.password,
        extra_env={"GRAPHSVC_REQUEST_DEADLINE_MS": "30000", "GRAPHSVC_AUTH_CACHE_S": "0.5"},
    ).start()
    yield process
    process.stop()


@pytest.fixture(scope="session")
def operator(service: ServiceProcess) -> Iterator[Caller]:
    """The operator: everything but approve, on all scopes."""
    caller = Caller(service.base_url, service.token())
    yield caller
    caller.close()


@dataclass
class World:
    """Scopes and principals of one test, apart from all others."""

    operator: Caller
    base_url: str
    number: int
    callers: list[Caller] = field(default_factory=list)

    def scope(self, name: str = "a") -> str:
        """A scope of this test, created on first use."""
        scope = f"project:t{_RUN}-{self.number}-{name}"
        self.operator.call("create_scopes", scopes=[{"id": scope}])
        return scope

    def agent(self, **grants: str) -> Caller:
        """An agent with grants by the scopes' short names: `agent(a="read,write", b="read")`; the first is its default."""
        granted = {self.scope(name): actions.split(",") for name, actions in grants.items()}
        answer = self.operator.call(
            "create_tokens",
            tokens=[
                {
                    "principal": f"agent-{_RUN}-{self.number}-{next(_numbers)}",
                    "kind": "agent",
                    "grants": granted,
                    "default_scope": next(iter(granted), None),
                }
            ],
        )
        caller = Caller(self.base_url, answer["results"][0]["token"])
        self.callers.append(caller)
        return caller


@pytest.fixture
def world(operator: Caller, service: ServiceProcess) -> Iterator[World]:
    """A world of its own."""
    made = World(operator, service.base_url, next(_numbers))
    yield made
    for caller in made.callers:
        caller.close()


@pytest.fixture
def agent(world: World) -> Caller:
    """An agent that reads and writes scope `a` of its world."""
    return world.agent(a="read,write")


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium without a head; skips where it is not installed."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        absent("chromium is not installed (Debian: apt install chromium)")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield started
        await started.close()


SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; skips where it is not."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the real data is not beside the checkout ({SHARED_DATA.name}/ absent)")
    return SHARED_DATA
