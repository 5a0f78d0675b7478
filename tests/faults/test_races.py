"""F6, F7, F8: many writers at once on the same things.

Goal: no client sees a deadlock, a name is one entity whoever comes first, and every thing's history is a line without a
gap. Method: threads with clients of their own against the real service.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import Database
from tests.faults.conftest import Broken, break_in
from tests.faults.history import history_problems
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY


@pytest.fixture(scope="module")
def racing(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broken]:
    """A service whose deadline leaves room for 32 writers who wait for each other on a small machine."""
    made = break_in(database, tmp_path_factory.mktemp("racing"), request_deadline_ms="60000")
    made.service.start()
    yield made
    made.close()


def at_once(workers: int, work: Callable[[int], Any]) -> list[Any]:
    """The results of `work(0)` … at the same time."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, range(workers)))


def scope_of(caller: Caller) -> str:
    return str(caller.call("whoami")["default_scope"])


def opposite_orders(broken: Broken, rounds: int) -> None:
    """16 writers relate the same pairs, half of them in the opposite order."""
    caller = broken.caller()
    names = [f"Post {i}" for i in range(12)]
    caller.call("create_entities", entities=[{"name": name} for name in names])
    pairs = list(itertools.pairwise(names))

    def write(worker: int) -> Counter[int]:
        mine = broken.again(caller)
        statuses: Counter[int] = Counter()
        for turn in range(rounds):
            order = pairs if (worker + turn) % 2 else pairs[::-1]
            relations = [{"from": a, "type": f"t{turn}", "to": b} for a, b in order]
            statuses[mine.post("create_relations", {"relations": relations}).status_code] += 1
            TALLY["racing transactions"] += 1
        return statuses

    assert set(sum(at_once(16, write), Counter())) == {200}
    assert history_problems(broken, scope_of(caller)) == []
    opened = caller.call("open_nodes", names=names, budget={"limit": 200_000})["entities"]
    assert sum(len(record["relations"]) for record in opened) == rounds * len(pairs)


def one_name(broken: Broken, names: int) -> None:
    """32 writers create the same name, spelt in four ways; a second scope gets its own."""
    caller, other = broken.caller(), broken.caller()
    for number in range(names):
        spellings = [
            f"Caf\u00e9 {number}",
            f"cafe\u0301 {number}",
            f"CAF\u00c9  {number}",
            f"\uff23af\u00e9 {number}",
        ]

        def create(worker: int, spellings: list[str] = spellings) -> Any:
            mine = broken.again(caller)
            entity = {"name": spellings[worker % 4], "observations": ["the same fact"]}
            result = mine.call("create_entities", entities=[entity])["results"][0]
            mine.close()
            return result

        results = at_once(32, create)
        TALLY["racing transactions"] += 32
        assert len({result["id"] for result in results}) == 1
        assert Counter(result["outcome"] for result in results) == {"created": 1, "existing": 31}
        facts = [result["observations"][0] for result in results]
        assert len({fact["id"] for fact in facts}) == 1
        assert Counter(fact["outcome"] for fact in facts) == {"added": 1, "duplicate": 31}
        apart = other.call("create_entities", entities=[{"name": spellings[0]}])["results"][0]
        assert (apart["outcome"], apart["id"] != results[0]["id"]) == ("created", True)
    assert history_problems(broken, scope_of(caller)) == []


def retire_and_revive(broken: Broken, turns: int) -> None:
    """16 writers retire and revive one entity, its fact and its relation."""
    caller = broken.caller()
    both = {"entities": [{"name": "Tide", "observations": ["turns"]}, {"name": "Quay"}]}
    made = caller.call("create_entities", **both)["results"]
    relation = {"from": "Tide", "type": "meets", "to": "Quay"}
    caller.call("create_relations", relations=[relation])
    steps: list[tuple[str, dict[str, Any]]] = [
        ("delete_entities", {"names": ["Tide"]}),
        ("create_entities", {"entities": [{"name": "Tide", "observations": ["turns"]}]}),
        ("delete_observations", {"items": [{"entity": "Tide", "contents": ["turns"]}]}),
        ("delete_relations", {"relations": [relation]}),
        ("create_relations", {"relations": [relation]}),
    ]

    def write(worker: int) -> set[int]:
        mine = broken.again(caller)
        found = set()
        for turn in range(turns):
            operation, payload = steps[(worker * 3 + turn) % len(steps)]
            found.add(mine.post(operation, payload).status_code)
            TALLY["racing transactions"] += 1
        return found

    assert set().union(*at_once(16, write)) == {200}
    assert history_problems(broken, scope_of(caller)) == []
    assert caller.call("create_entities", entities=[{"name": "Tide"}])["results"][0]["id"] == made[0]["id"]


def test_opposite_orders_are_no_clients_concern(racing: Broken) -> None:
    opposite_orders(racing, 3)


def test_one_name_is_one_entity(racing: Broken) -> None:
    one_name(racing, 4)


def test_history_is_a_line_whoever_writes(racing: Broken) -> None:
    retire_and_revive(racing, 8)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_races(racing: Broken) -> None:
    opposite_orders(racing, 100)
    one_name(racing, 100)
    retire_and_revive(racing, 200)
