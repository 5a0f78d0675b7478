"""Services behind a proxy that can break them, and a Neo4j of their own for what would disturb all other tests."""

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import neo4j
import pytest

from tests.conftest import Database
from tests.harness.bolt_proxy import BoltProxy
from tests.harness.neo4j_process import Neo4jProcess
from tests.harness.service_process import Caller, ServiceProcess

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Faults belong to the long run: they need a quiet machine, as each is judged by the time it takes."""
    for item in items:
        if HERE in item.path.parents and set(item.fixturenames) & _BREAKING:
            item.add_marker(pytest.mark.long)


_BREAKING = {"broken", "make_broken", "own_neo4j"}
_numbers = itertools.count(1)
_RUN = os.urandom(3).hex()


@dataclass
class Broken:
    """A service, the proxy between it and its Neo4j, and a way past both to what is really there."""

    service: ServiceProcess
    proxy: BoltProxy
    driver: neo4j.Driver
    callers: list[Caller] = field(default_factory=list)
    scopes: dict[str, str] = field(default_factory=dict)

    def caller(self, kind: Literal["agent", "human"] = "agent") -> Caller:
        """A new agent with a scope of its own, or a person who may do all there."""
        operator = Caller(self.service.base_url, self.service.token())
        scope = f"project:f{_RUN}-{next(_numbers)}"
        # A database that has just started plans each query for the first time, which may take longer than a deadline.
        for operation, payload in (
            ("create_scopes", {"scopes": [{"id": scope}]}),
            ("create_entities", {"scope": scope, "entities": [{"name": "warm", "observations": ["up"]}]}),
            ("search_nodes", {"query": "warm up", "pointers": True}),
            ("delete_entities", {"scope": scope, "names": ["warm"]}),
        ):
            until = time.monotonic() + 60
            while operator.post(operation, payload).status_code in {503, 504} and time.monotonic() < until:
                time.sleep(0.2)
        token = {
            "principal": scope.replace(":", "."),
            "kind": "agent",
            "grants": {scope: ["read", "write", "govern"]},
        }
        made = (
            {"token": self._persons_token(scope)}
            if kind == "human"
            else operator.call("create_tokens", tokens=[token])["results"][0]
        )
        operator.close()
        caller = Caller(self.service.base_url, made["token"])
        self.callers.append(caller)
        self.scopes[caller.token] = scope
        return caller

    def _persons_token(self, scope: str) -> str:
        """People's tokens are made at the terminal only."""
        done = subprocess.run(
            [sys.executable, "-m", "graphsvc", "token", "create", "--principal", scope.replace(":", ".")]
            + ["--kind", "human", "--json", f"--grant={scope}=read,write,govern,approve"],
            env=os.environ
            | {
                "GRAPHSVC_NEO4J_URI": self.service.bolt_url,
                "GRAPHSVC_NEO4J_USER": self.service.user,
                "GRAPHSVC_NEO4J_PASSWORD": self.service.password,
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return str(json.loads(done.stdout)["token"])

    def scope_of(self, caller: Caller) -> str:
        """The scope that was made for this agent."""
        return self.scopes[caller.token]

    def again(self, caller: Caller) -> Caller:
        """The same agent, where the service answers now."""
        self.callers.append(Caller(self.service.base_url, caller.token))
        return self.callers[-1]

    def rows(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        """What is really there, asked past the service and the proxy."""
        return [record.data() for record in self.driver.execute_query(query, parameters)[0]]

    def open_transactions(self) -> list[str]:
        """What the database is still doing for anyone but this question."""
        return [
            row["query"]
            for row in self.rows("SHOW TRANSACTIONS YIELD currentQuery AS query, database, username")
            if row["query"] and "SHOW TRANSACTIONS" not in row["query"]
        ]

    def close(self) -> None:
        """End all."""
        for caller in self.callers:
            caller.close()
        self.proxy.disarm()
        if self.service.process is not None:
            self.service.stop()
        self.proxy.stop()
        self.driver.close()


def break_in(database: Database | Neo4jProcess, home: Path, **settings: str) -> Broken:
    """A service over this database with a proxy between."""
    proxy = BoltProxy(database.bolt_url).start()
    driver = neo4j.GraphDatabase.driver(database.bolt_url, auth=(database.user, database.password))
    extra = {f"GRAPHSVC_{key.upper()}": value for key, value in settings.items()}
    service = ServiceProcess(home, proxy.url, database.user, database.password, extra_env=extra)
    return Broken(service, proxy, driver)


@pytest.fixture(scope="module")
def broken(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broken]:
    """The service that most faults are tried on; unbroken again after each test by `clean`."""
    made = break_in(database, tmp_path_factory.mktemp("broken"), auth_cache_s="5", request_deadline_ms="5000")
    made.service.start()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """No fault outlives its test."""
    yield
    if "broken" in request.fixturenames:
        request.getfixturevalue("broken").proxy.disarm()


@pytest.fixture
def make_broken(database: Database, tmp_path: Path) -> Iterator[Callable[..., Broken]]:
    """A function that makes a broken service with settings of its own, not started yet."""
    made: list[Broken] = []

    def make(over: Database | Neo4jProcess = database, **settings: str) -> Broken:
        made.append(break_in(over, tmp_path / f"service{len(made)}", **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def own_neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jProcess]:
    """A Neo4j that may be killed and frozen."""
    process = Neo4jProcess(tmp_path_factory.mktemp("own-neo4j")).start()
    yield process
    process.stop()
