"""Goal: any number of service processes on one Neo4j, reached by routing (`neo4j://`), keep the promises of one (spec 10).

Method: two real processes with one secret on one database; each promise is tried with one half on either process.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.care.conftest import Empty, service_on
from tests.harness.service_process import Caller, ServiceProcess


@pytest.fixture(scope="module")
def services(empty: Empty, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServiceProcess]]:
    """Two processes that start together on an empty database: both apply the schema."""
    database = empty()
    routed = replace(database, bolt_url=database.bolt_url.replace("bolt://", "neo4j://"))
    made = [
        service_on(routed, tmp_path_factory.mktemp("replica"), SECRET="s" * 40, AUDIT_KEY="k" * 40)
        for _ in range(2)
    ]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(ServiceProcess.start, made))
    yield made
    for each in made:
        each.stop()


@pytest.fixture(scope="module")
def pair(services: list[ServiceProcess]) -> Iterator[list[Caller]]:
    """One agent of `project:a`, as a caller of each process."""
    operator = Caller(services[0].base_url, services[0].token())
    scopes = ["project:a", "project:b"]
    operator.call("create_scopes", scopes=[{"id": scope} for scope in scopes])
    grants = {"project:a": ["read", "write"]}
    answer = operator.call(
        "create_tokens",
        tokens=[{"principal": "agent-a", "kind": "agent", "grants": grants, "default_scope": "project:a"}],
    )
    token = answer["results"][0]["token"]
    operator.call(
        "create_entities",
        scope="project:b",
        entities=[{"name": "Canary", "observations": ["canary of the foreign scope"]}],
    )
    operator.close()
    callers = [Caller(service.base_url, token) for service in services]
    yield callers
    for caller in callers:
        caller.close()


def test_one_name_created_on_both_at_once_is_one_entity(pair: list[Caller]) -> None:
    for number in range(10):
        name = f"Race {number}"
        with ThreadPoolExecutor(8) as threads:
            answers = list(
                threads.map(
                    lambda n, name=name: pair[n % 2].call("create_entities", entities=[{"name": name}])[
                        "results"
                    ][0],
                    range(8),
                )
            )
        assert len({answer["id"] for answer in answers}) == 1
        assert sorted(answer["outcome"] for answer in answers) == ["created"] + ["existing"] * 7


def test_a_bookmark_of_one_process_is_read_by_the_other(pair: list[Caller]) -> None:
    for number in range(10):
        text = f"quokka{chr(97 + number) * 3}"
        written = pair[0].call(
            "create_entities", entities=[{"name": f"Read {number}", "observations": [text]}]
        )
        found = pair[1].post("search_nodes", {"query": text}, X_Bookmark=written["bookmark"])
        assert found.status_code == 200, found.text
        assert [e["entity"]["name"] for e in found.json()["evidence"]] == [f"Read {number}"]


def test_an_idempotency_key_is_one_key_for_both(pair: list[Caller]) -> None:
    body = {"entities": [{"name": "Once", "observations": ["only once"]}]}
    first = pair[0].post("create_entities", body, Idempotency_Key="key-1").json()
    second = pair[1].post("create_entities", body, Idempotency_Key="key-1").json()
    assert first["results"] == second["results"]
    assert first["results"][0]["outcome"] == "created"


def test_foreign_is_missing_on_both(pair: list[Caller]) -> None:
    for caller in pair:
        foreign = caller.call("open_nodes", names=["Canary"])
        missing = caller.call("open_nodes", names=["Canbry"])
        assert foreign["missing"] == ["Canary"]
        assert (foreign["entities"], missing["entities"]) == ([], [])
        answer = caller.post("search_nodes", {"query": "canary of the foreign scope"})
        assert answer.json()["evidence"] == []


def test_a_token_revoked_on_one_is_refused_by_the_other_within_5_s(
    services: list[ServiceProcess], pair: list[Caller]
) -> None:
    operator = Caller(services[0].base_url, services[0].token())
    answer = operator.call(
        "create_tokens",
        tokens=[{"principal": "agent-r", "kind": "agent", "grants": {"project:a": ["read"]}}],
    )["results"][0]
    caller = Caller(services[1].base_url, answer["token"])
    assert caller.post("whoami", {}).status_code == 200
    operator.call("revoke_tokens", token_ids=[answer["token_id"]])
    revoked_at = time.monotonic()
    while caller.post("whoami", {}).status_code != 401:
        assert time.monotonic() - revoked_at < 5
        time.sleep(0.2)
    operator.close()
    caller.close()


def test_one_process_goes_and_the_other_carries_on(
    services: list[ServiceProcess], pair: list[Caller]
) -> None:
    services[0].stop()
    answer = pair[1].call("create_entities", entities=[{"name": "Survivor", "observations": ["still here"]}])
    assert answer["counts"] == {"created": 1}
    assert (Path(services[1].home) / "service.json").exists()
