"""The budget law over HTTP: no body is larger than its budget, and each says its true size (spec 03).

Method: 500 random (query, limit) pairs over a small graph full of hard text, for chars, bytes and tokens, pointers on and off,
JSON and block, down to the least limit; the seed is printed.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import World
from tests.harness.service_process import Caller

SEED = 20_261_130
PAIRS = 500
WORDS = [
    "Acme",
    "Print",
    "boxes",
    "same-day",
    "设备",
    "café",
    "Straße",
    "🔑",
    "Paul",
    "Pack",
    "<record>",
    '"quoted"',
    "\\n",
    "press",
]


@pytest.fixture(scope="module")
def library(operator: Caller) -> Iterator[Caller]:
    """One scope with entities whose texts are long, short, wide, and full of characters that JSON escapes."""
    world = World(
        operator, operator.base_url if hasattr(operator, "base_url") else str(operator.http.base_url), 9_001
    )
    agent = world.agent(a="read,write")
    chance = random.Random(SEED)
    entities = []
    for i in range(40):
        texts = [
            " ".join(chance.choices(WORDS, k=chance.choice([3, 8, 30, 200]))) + f" fact {j} of {i}"
            for j in range(chance.randint(1, 8))
        ]
        entities.append(
            {
                "name": f"{chance.choice(WORDS)} {chance.choice(WORDS)} {i}",
                "kind": "thing",
                "observations": texts,
                "aliases": [f"Thing {i}", f"设备{i}"],
            }
        )
    agent.call("create_entities", entities=entities)
    names = [entity["name"] for entity in entities]
    agent.call(
        "create_relations",
        relations=[
            {"from": a, "type": "beside & <near>", "to": b} for a, b in zip(names, names[1:], strict=False)
        ],
    )
    yield agent
    agent.close()


def size(body: bytes, unit: str) -> int:
    """The size of a body in a unit."""
    if unit == "chars":
        return len(body.decode())
    return len(body) if unit == "bytes" else -(-len(body) // 4)


def test_no_body_is_larger_than_its_budget_and_each_says_its_true_size(library: Caller) -> None:
    print("seed", SEED)
    chance = random.Random(SEED)
    answered = refused = 0
    for _ in range(PAIRS):
        unit = chance.choice(["chars", "bytes", "tokens"])
        limit = int(10 ** chance.uniform(1.5, 4.6))
        query = " ".join(chance.choices([*WORDS, f"Thing {chance.randint(0, 45)}"], k=chance.randint(1, 8)))
        payload = {
            "query": query,
            "budget": {"unit": unit, "limit": limit},
            "pointers": chance.random() < 0.5,
            "render": chance.choice(["json", "block"]),
        }
        response = library.post("search_nodes", payload)
        if response.status_code == 422:
            refused += 1
            problem = response.json()
            assert problem["type"] == "/errors/budget_too_small"
            least = int(problem["errors"][0]["reason"].split()[4])
            assert least > limit
            payload["budget"] = {"unit": unit, "limit": least}
            response = library.post("search_nodes", payload)
            payload["budget"] = {"unit": unit, "limit": least - 1}
            assert library.post("search_nodes", payload).status_code == 422
            limit = least
        assert response.status_code == 200, response.text
        answered += 1
        used = size(response.content, unit)
        assert used <= limit, payload
        assert f'"used":{used}' in response.text, payload
    assert answered == PAIRS
    assert refused > 20
    print(f"{PAIRS} pairs, {refused} at the least limit")


def test_counts_add_up_and_the_first_hit_stays_as_the_limit_grows(library: Caller) -> None:
    for query, pointers in (("boxes same-day", False), ("设备 café press", True), ("Thing 7 Acme", True)):

        def search(limit: int, query: str = query, pointers: bool = pointers) -> dict[str, Any] | None:
            response = library.post(
                "search_nodes",
                {"query": query, "pointers": pointers, "budget": {"unit": "chars", "limit": limit}},
            )
            return response.json() if response.status_code == 200 else None

        whole = search(200_000)
        assert whole is not None
        best = whole["evidence"][0]["entity"]["id"]
        appeared = False
        for limit in range(600, 3000, 61):
            answer = search(limit)
            if answer is None:
                continue
            accounting = answer["accounting"]
            for thing, known in (("entities", "considered"), ("observations", "matched")):
                dropped = accounting["dropped"][thing]
                assert accounting[thing][known] == accounting[thing]["returned"] + sum(dropped.values())
            hits = [record["entity"]["id"] for record in answer["evidence"]]
            assert not appeared or hits[0] == best, (query, limit)
            appeared = appeared or hits[:1] == [best]
        assert appeared


def test_pointers_off_changes_no_byte(library: Caller) -> None:
    with_default = library.post("search_nodes", {"query": "Thing 7 boxes"}).text
    assert library.post("search_nodes", {"query": "Thing 7 boxes", "pointers": False}).text == with_default
    answer = json.loads(with_default)
    assert "pointers" not in answer
    assert "pointers" not in answer["accounting"]
