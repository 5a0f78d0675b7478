"""The images and the compose stack, on a real container engine (spec 10).

Goal: the service works on a Neo4j in a container and as a stack; what it has acknowledged outlives restarts and kills.
Method: `testcontainers` starts the Neo4j image for a service process of this checkout; `docker/compose.yaml` starts both
images, is filled over HTTP, restarted, killed. `docker/engine.sh` brings up the engine and makes the images; the images
are named by GRAPHSVC_TEST_NEO4J_IMAGE and GRAPHSVC_TEST_IMAGE.
"""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphsvc.neo4j_local.ports import free_ports
from tests.harness.needs import absent
from tests.harness.service_process import Caller, ServiceProcess

pytestmark = pytest.mark.containers
ROOT = Path(__file__).resolve().parents[2]
NEO4J_IMAGE = os.environ.get("GRAPHSVC_TEST_NEO4J_IMAGE", "graphsvc-neo4j:latest")
GRAPHSVC_IMAGE = os.environ.get("GRAPHSVC_TEST_IMAGE", "graphsvc:latest")
READY_S = 180


def docker(*arguments: str) -> str:
    """Run the engine's client and return what it says."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip()


@pytest.fixture(scope="session", autouse=True)
def engine() -> None:
    """A container engine with both images."""
    try:
        docker("image", "inspect", NEO4J_IMAGE, GRAPHSVC_IMAGE)
    except (OSError, subprocess.SubprocessError):
        absent(f"no container engine answers that has {NEO4J_IMAGE} and {GRAPHSVC_IMAGE} (docker/engine.sh)")


def test_the_service_keeps_scopes_apart_on_a_neo4j_in_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
    from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415 - only where an engine runs

    with Neo4jContainer(NEO4J_IMAGE, password="a-password-of-tests") as neo4j:
        service = ServiceProcess(
            tmp_path, neo4j.get_connection_url(), "neo4j", "a-password-of-tests",
            extra_env={"GRAPHSVC_REQUEST_DEADLINE_MS": "60000"},
        ).start()  # fmt: skip
        try:
            operator = Caller(service.base_url, service.token())
            operator.call("create_scopes", scopes=[{"id": "project:own"}, {"id": "project:foreign"}])
            grants = {"project:own": ["read", "write"]}
            token = {"principal": "agent", "kind": "agent", "grants": grants, "default_scope": "project:own"}
            made = operator.call("create_tokens", tokens=[token])["results"][0]
            agent = Caller(service.base_url, made["token"])
            for caller, scope, fact in (
                (agent, "project:own", "prints posters"),
                (operator, "project:foreign", "prints money"),
            ):
                entities = [{"name": "Acme", "observations": [fact]}]
                caller.call("create_entities", scope=scope, entities=entities, resolve="own_scope")
            found = agent.call("search_nodes", query="Acme prints", pointers=True)
            assert "prints posters" in str(found["evidence"])
            assert "money" not in str(found)
            assert len(found["pointers"]["items"]) == 1
            operator.close()
            agent.close()
        finally:
            service.stop()


@dataclass
class Stack:
    """A running compose stack with a name and volumes of its own."""

    project: str
    environment: dict[str, str]
    base_url: str

    def compose(self, *arguments: str) -> str:
        """One command of compose, as the plugin or as a program of its own."""
        command = ["docker", "compose"]
        if shutil.which("docker-compose") and subprocess.run([*command, "version"], capture_output=True, check=False).returncode:  # fmt: skip
            command = ["docker-compose"]
        done = subprocess.run(
            [*command, "-p", self.project, "-f", str(ROOT / "docker" / "compose.yaml"), *arguments],
            env=os.environ | self.environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def wait_ready(self) -> None:
        """Return when the service answers that it is ready."""
        until = time.monotonic() + READY_S
        while time.monotonic() < until:
            try:
                if httpx.get(f"{self.base_url}/ready", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.3)
        pytest.fail(f"the stack did not become ready:\n{self.compose('logs', '--tail', '40')}")

    def token(self) -> str:
        """The operator's token, which the container keeps."""
        return self.compose("exec", "-T", "graphsvc", "cat", "/var/lib/graphsvc/operator.token").strip()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack of docker/compose.yaml, with secrets and ports of its own."""
    secrets = tmp_path_factory.mktemp("secrets")
    subprocess.run([str(ROOT / "docker" / "secrets.sh"), str(secrets)], check=True)
    ports, neo4j_ports = free_ports(), free_ports()
    environment = {
        "NEO4J_IMAGE": NEO4J_IMAGE,
        "GRAPHSVC_IMAGE": GRAPHSVC_IMAGE,
        "SECRETS": str(secrets),
        "GRAPHSVC_PORT": str(ports.http),
        "NEO4J_HTTP_PORT": str(neo4j_ports.http),
        "NEO4J_BOLT_PORT": str(neo4j_ports.bolt),
    }
    made = Stack(f"graphsvc-test-{os.getpid()}", environment, f"http://127.0.0.1:{ports.http}")
    try:
        made.compose("up", "-d")
        made.wait_ready()
        yield made
    finally:
        made.compose("down", "-v", "--timeout", "5")


@pytest.fixture(scope="module")
def operator(stack: Stack) -> Iterator[Caller]:
    """A caller with the operator's token."""
    caller = Caller(stack.base_url, stack.token())
    yield caller
    caller.close()


def answered(caller: Caller, operation: str, **payload: Any) -> dict[str, Any]:
    """The answer, asked for again while a database that has just started is told to be too slow or away."""
    until = time.monotonic() + READY_S
    while (response := caller.post(operation, payload)).status_code in {
        503,
        504,
    } and time.monotonic() < until:
        time.sleep(0.5)
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_the_stack_is_up_loaded_searched_restarted_and_still_knows(stack: Stack, operator: Caller) -> None:
    load = "graphsvc load /opt/graphsvc/lib/python3*/site-packages/graphsvc/_seeds/demo.jsonl"
    stack.compose("exec", "-T", "graphsvc", "sh", "-c", load)
    before = answered(operator, "search_nodes", query="Who prints for Acme?", pointers=True)
    assert before["evidence"]
    stack.compose("restart", "--timeout", "30")
    stack.wait_ready()
    after = answered(operator, "search_nodes", query="Who prints for Acme?", pointers=True)
    assert after["evidence"] == before["evidence"]
    assert after["pointers"] == before["pointers"]


def test_the_service_runs_as_nobody_in_particular_and_holds_no_secret(stack: Stack) -> None:
    assert stack.compose("exec", "-T", "graphsvc", "id", "-u").strip() == "10001"
    history = docker("history", "--no-trunc", "--format", "{{.CreatedBy}}", GRAPHSVC_IMAGE)
    config = docker("image", "inspect", "--format", "{{.Config.Env}}", GRAPHSVC_IMAGE)
    assert "PASSWORD" not in history + config
    container = stack.compose("ps", "-q", "graphsvc").strip()
    password = Path(stack.environment["SECRETS"], "neo4j_password").read_text()
    assert password not in docker("inspect", container)
    assert docker("inspect", "--format", "{{.State.Health.Status}}", container) in {"healthy", "starting"}
    files = stack.compose(
        "exec", "-T", "graphsvc", "sh", "-c", "ls /opt/graphsvc/lib/python3*/site-packages/graphsvc"
    )
    assert "_cypher" in files
    assert "tests" not in files


@pytest.mark.parametrize("victim", ["neo4j", "graphsvc"])
def test_nothing_acknowledged_is_lost_when_a_container_is_killed_in_the_middle_of_a_load(
    stack: Stack, operator: Caller, victim: str
) -> None:
    scope = f"project:killed-{victim}"
    answered(operator, "create_scopes", scopes=[{"id": scope}])
    acknowledged: list[str] = []
    stopped = threading.Event()

    def write(writer: int) -> None:
        number = 0
        with httpx.Client(base_url=stack.base_url, headers=operator.http.headers, timeout=20) as http:
            while not stopped.is_set():
                name = f"{victim} {writer} {number}"
                number += 1
                payload = {"scope": scope, "entities": [{"name": name, "observations": [f"fact of {name}"]}]}
                try:
                    if http.post("/v1/create_entities", json=payload).status_code == 200:
                        acknowledged.append(name)
                except httpx.HTTPError:
                    time.sleep(0.1)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]

    def wait_for(count: int) -> None:
        until = time.monotonic() + READY_S
        while len(acknowledged) < count:
            assert time.monotonic() < until, f"{len(acknowledged)} of {count} writes were acknowledged"
            time.sleep(0.1)

    for writer in writers:
        writer.start()
    wait_for(30)
    before = len(acknowledged)
    stack.compose("kill", "-s", "SIGKILL", victim)
    time.sleep(1)
    stack.compose("up", "-d")
    stack.wait_ready()
    wait_for(before + 30)  # writes go on after the restart
    stopped.set()
    for writer in writers:
        writer.join()
    for start in range(0, len(acknowledged), 100):
        names = acknowledged[start : start + 100]
        opened = answered(operator, "open_nodes", names=names, scopes=[scope], budget={"limit": 200_000})
        there = {record["entity"]["name"]: record for record in opened["entities"]}
        assert there.keys() == set(names)
        assert all([o["text"] for o in there[name]["observations"]] == [f"fact of {name}"] for name in names)
