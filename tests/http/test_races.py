"""Two service processes on one database: writers that race create every thing once (cases 2 and 16).

Method: real processes, threads that start together, the database's constraints as the judge.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import Database, World
from tests.harness.service_process import Caller, ServiceProcess


@pytest.fixture(scope="module")
def second_service(
    database: Database, service: ServiceProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceProcess]:
    """Another process on the same database."""
    home: Path = tmp_path_factory.mktemp("second")
    process = ServiceProcess(
        home, database.bolt_url, database.user, database.password, {"GRAPHSVC_REQUEST_DEADLINE_MS": "60000"}
    ).start()
    yield process
    process.stop()


def together(count: int, work: "callable") -> list[object]:  # type: ignore[valid-type]
    """Run `work(i)` for every i in threads that start at the same moment."""
    barrier = threading.Barrier(count)

    def run(i: int) -> object:
        barrier.wait()
        return work(i)  # type: ignore[misc]

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_two_processes_creating_the_same_200_names_make_200_entities(
    world: World, service: ServiceProcess, second_service: ServiceProcess
) -> None:
    agent = world.agent(a="read,write")
    callers = [Caller(base, agent.token) for base in (service.base_url, second_service.base_url)]
    names = [f"Name {i}" for i in range(200)]
    orders = [names, names[::-1]]

    def create(i: int) -> list[dict[str, str]]:
        found = []
        for start in range(0, 200, 20):
            part = orders[i][start : start + 20]
            answer = callers[i].call(
                "create_entities", entities=[{"name": name, "aliases": ["N"]} for name in part]
            )
            found += answer["results"]
        return found

    outcomes: Counter[str] = Counter()
    ids: dict[str, set[str]] = {}
    for results in together(2, create):
        for result in results:  # type: ignore[attr-defined]
            outcomes[result["outcome"]] += 1
            ids.setdefault(result["name"], set()).add(result["id"])
    assert outcomes == {"created": 200, "existing": 200}
    assert all(len(found) == 1 for found in ids.values())
    assert len({next(iter(found)) for found in ids.values()}) == 200
    for caller in callers:
        caller.close()


def test_case_2_forty_names_by_two_workers_three_times(
    world: World, service: ServiceProcess, second_service: ServiceProcess
) -> None:
    for run in ("x", "y", "z"):
        agent = world.agent(**{run: "read,write"})
        bases = [service.base_url, second_service.base_url]

        def create(i: int, token: str = agent.token, bases: list[str] = bases) -> str:
            caller = Caller(bases[i % 2], token)
            try:
                return caller.call("create_entities", entities=[{"name": f"Worker {i}"}])["counts"].popitem()[
                    0
                ]
            finally:
                caller.close()

        assert Counter(together(40, create)) == {"created": 40}
        found = agent.call("open_nodes", names=[f"Worker {i}" for i in range(40)], budget={"limit": 100_000})
        assert (len(found["entities"]), found["missing"]) == (40, [])


def test_case_16_twenty_parallel_adds_of_one_fact_store_it_once(
    world: World, service: ServiceProcess
) -> None:
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": "Pump"}])

    def add(_: int) -> tuple[str, str]:
        caller = Caller(service.base_url, agent.token)
        try:
            answer = caller.call(
                "add_observations", items=[{"entity": "Pump", "contents": ["leaks at noon"]}]
            )
            observation = answer["results"][0]["observations"][0]
            return observation["outcome"], observation["id"]
        finally:
            caller.close()

    found = together(20, add)
    assert Counter(outcome for outcome, _ in found) == {"added": 1, "duplicate": 19}  # type: ignore[misc]
    assert len({identity for _, identity in found}) == 1  # type: ignore[misc]
