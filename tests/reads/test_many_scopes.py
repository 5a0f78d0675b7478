"""What a lookup by name costs does not grow with the number of scopes that the caller sees (spec 11, 13).

Goal: an operator over thousands of projects writes and asks as fast as an agent with one. Method: the queries that look
names up are profiled on the real database, with few and with many scopes; the database counts its own accesses.
"""

from typing import Any

import pytest

from graphsvc.queries import Q
from tests.conftest import Database, World
from tests.harness.neo4j_session import database_hits

KEYS = ["elm", "fir", "oak"]
LOOKUPS: dict[str, dict[str, Any]] = {
    "entity/resolve_references": {
        "rows": [{"index": i, "id": None, "external_id": None, "key": key} for i, key in enumerate(KEYS)],
        "home_scope": "project:none",
    },
    "entity/resolve_for_create": {
        "rows": [{"index": i, "name_key": key, "elsewhere": True} for i, key in enumerate(KEYS)],
        "write_scope": "project:none",
    },
    "pointer/resolve_pointers": {"keys": KEYS, "owners_max": 8},
    "task_link/mentions": {"keys": KEYS, "owners_max": 8},
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_costs_the_same_over_many_scopes(name: str, world: World, database: Database) -> None:
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": key, "observations": [f"{key} grows"]} for key in KEYS])
    hits = {}
    for count in (40, 4_000):
        scopes = [world.scope("a"), *(f"project:elsewhere-{i}" for i in range(count))]
        hits[count] = database_hits(database, Q[name].text, visible_scopes=scopes, **LOOKUPS[name])
    assert 0 < hits[4_000] <= hits[40] + 10
