"""Goal: a memory file of the MCP reference server with 10,000 entities is loaded with every line accounted for (spec 10)."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.care.conftest import Empty
from tests.harness.neo4j_session import cypher

ENTITIES, RELATIONS = 10_000, 5_000
BAD = [
    '{"type":"entity"',
    '{"type":"planet","name":"Mars"}',
    '{"type":"entity","entityType":"x"}',
    "[1,2]",
    '"text"',
]


def memory_file(path: Path) -> Counter[str]:
    """A file with good and bad lines in any order, and how many there are of each."""
    random_ = random.Random(7)
    lines, counts = [], Counter[str]()
    for number in range(ENTITIES):
        observations = [f"fact {n} of thing {number}" for n in range(number % 4)]
        lines.append(
            json.dumps(
                {
                    "type": "entity",
                    "name": f"Thing {number}",
                    "entityType": "thing",
                    "observations": observations,
                }
            )
        )
        counts["observations"] += len(observations)
    pairs = set()
    while len(pairs) < RELATIONS:
        pairs.add(tuple(random_.sample(range(ENTITIES), 2)))
    for a, b in sorted(pairs):
        lines.append(
            json.dumps(
                {"type": "relation", "from": f"Thing {a}", "to": f"Thing {b}", "relationType": "knows"}
            )
        )
    for number in range(30):
        dangling = {"type": "relation", "from": f"Thing {number}", "to": "Nobody", "relationType": "knows"}
        lines.append(json.dumps(dangling))
    lines += BAD
    random_.shuffle(lines)
    path.write_text("\n".join(lines) + "\n")
    counts["lines"] = len(lines)
    return counts


@pytest.mark.long
def test_every_line_of_a_10_000_entity_memory_file_is_accounted_for(empty: Empty, tmp_path: Path) -> None:
    database = empty()
    file = tmp_path / "memory.json"
    counts = memory_file(file)
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
    env |= {
        "GRAPHSVC_HOME": str(tmp_path / "home"),
        "GRAPHSVC_NEO4J_URI": database.bolt_url,
        "GRAPHSVC_NEO4J_PASSWORD": database.password,
    }
    done = subprocess.run(
        [sys.executable, "-m", "graphsvc", "load", str(file), "--format", "mcp-memory", "--json"],
        env=env,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 1, "the refused lines are told by the exit code"
    report = json.loads(done.stdout)[0]
    outcomes = report["outcomes"]
    assert outcomes["entity"] == {"created": ENTITIES}
    assert outcomes["relation"] == {"created": RELATIONS, "skipped": 30}
    assert outcomes["observation"] == {"added": counts["observations"]}
    assert report["refused"] == 30 + len(BAD)
    assert ENTITIES + RELATIONS + 30 + len(BAD) == counts["lines"] == report["lines"]
    lines = file.read_text().splitlines()
    for problem in report["problems"]:
        line = lines[problem["line"] - 1]
        assert line in BAD or "Nobody" in line
    stored = cypher(
        database,
        "MATCH (e:Entity) WITH count(e) AS entities MATCH (o:Observation) WITH entities, count(o) AS observations "
        "MATCH ()-[r:RELATES_TO]->() RETURN entities, observations, count(r) AS relations",
    )
    assert stored == [{"entities": ENTITIES, "observations": counts["observations"], "relations": RELATIONS}]
