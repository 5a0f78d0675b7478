"""People: tokens made at the terminal, as an operator does."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Database, World
from tests.harness.service_process import Caller

MakeHuman = Callable[..., Caller]


@pytest.fixture
def human(world: World, database: Database) -> Iterator[MakeHuman]:
    """`human(a="read,approve")`: a person with grants by the scopes' short names."""
    yield from people_of(world, database)


def people_of(world: World, database: Database) -> Iterator[MakeHuman]:
    """The same for a world that lives longer than a test; on the way out the callers are closed."""
    made: list[Caller] = []

    def make(**grants: str) -> Caller:
        granted = [f"--grant={world.scope(name)}={actions}" for name, actions in grants.items()]
        principal = f"person-{world.number}-{len(made)}-{os.urandom(3).hex()}"
        done = subprocess.run(
            [sys.executable, "-m", "graphsvc", "token", "create", "--principal", principal]
            + ["--kind", "human", "--json", *granted],
            env=os.environ
            | {
                "GRAPHSVC_NEO4J_URI": database.bolt_url,
                "GRAPHSVC_NEO4J_USER": database.user,
                "GRAPHSVC_NEO4J_PASSWORD": database.password,
            },
            capture_output=True,
            text=True,
            check=True,
        )
        made.append(Caller(world.base_url, json.loads(done.stdout)["token"]))
        return made[-1]

    yield make
    for caller in made:
        caller.close()
