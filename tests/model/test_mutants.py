"""Does anything notice when a scope clause is gone? Every gated query with its clauses made true must fail a test.

Goal: the leak tests hold every gated query; none is gated by luck. Method: a copy of the package in which one file's
scope conditions are always true runs as the service, and `test_leaks.py` runs against it in a process of its own; a
mutant that survives fails this test. Long suite only.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphsvc.queries import Q, cypher_root
from tests.conftest import Database
from tests.harness.tally import TALLY

ROOT = Path(__file__).resolve().parents[2]
_CLAUSE = re.compile(r"([\w.]+)\s+IN\s+\$(visible_scopes|writable_scopes)\b(?!\s+AS)")


def gated() -> list[str]:
    """The gated queries that have a condition on scopes."""
    return [name for name, query in Q.items() if query.scope == "gated" and _CLAUSE.search(query.text)]


UNKILLED = {
    "entity/rename_entities": "the second lock: the service renames only what it has just resolved in a writable scope",
    "memory/put_supports": "the second lock: the entities are those that a gated query has just found to own a value",
    "memory/retire_supports": "the second lock: the links are those that a gated query has just found in the scope",
    "provenance/record_origin": "the second lock: the transitions are those that this very transaction has made",
    "search/candidates": "the second lock: the scopes are mandatory clauses of the full-text query as well",
}
"""Query files whose clauses no leak test can notice, and why that is right; may only get shorter."""


def mutated(name: str, folder: Path) -> Path:
    """A copy of the package with the scope conditions of one query made true."""
    shutil.copytree(ROOT / "graphsvc", folder / "graphsvc", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(cypher_root(), folder / "cypher")
    file = folder / "cypher" / f"{name}.cypher"
    text, count = _CLAUSE.subn(r"(\1 IN $\2 OR true)", file.read_text(encoding="utf-8"))
    assert count
    # The lookup that knows no scopes is the one that the conditions hold.
    text = text.replace("size($visible_scopes) > 8", "true")
    file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", gated())
def test_a_query_without_its_scope_clause_is_found_out(name: str, database: Database, tmp_path: Path) -> None:
    if name in UNKILLED:
        pytest.skip(UNKILLED[name])
    environment = os.environ | {
        "GRAPHSVC_TEST_NEO4J_URI": database.bolt_url,
        "GRAPHSVC_TEST_NEO4J_USER": database.user,
        "GRAPHSVC_TEST_NEO4J_PASSWORD": database.password,
        "GRAPHSVC_TEST_TREE": str(mutated(name, tmp_path)),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        "not long",
        "-p",
        "no:cacheprovider",
        "tests/model/test_leaks.py",
        "-k",
        "not operator",
    ]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    TALLY["mutants tried"] += 1
    assert run.returncode == 1, f"the mutant of {name} survives:\n{run.stdout[-2000:]}"
    TALLY["mutants found out"] += 1


def test_there_are_mutants() -> None:
    assert len(gated()) >= 20
    assert not UNKILLED.keys() - set(gated())
