"""Goal: `doctor` accepts a sound graph, and finds every defect that is planted in it (spec 10).

Method: a small graph written over HTTP by a service on a Neo4j of its own; each defect planted with Cypher, looked for, and
undone again by restoring the graph that was exported before.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphsvc.queries import Q
from graphsvc.service.doctor import Diagnosis, diagnose
from tests.care.conftest import Empty, on, service_on
from tests.conftest import Database
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller


def diagnosis_of(database: Database) -> Diagnosis:
    found: Diagnosis = on(database, diagnose, schema=False)
    return found


@pytest.fixture(scope="module")
def patient(empty: Empty, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A graph with something of everything, and no service on it."""
    database = empty()
    service = service_on(database, tmp_path_factory.mktemp("patient")).start()
    try:
        caller = Caller(service.base_url, service.token())
        caller.call("create_scopes", scopes=[{"id": "project:p"}])
        caller.call(
            "create_entities",
            scope="project:p",
            entities=[
                {"name": "Elm", "kind": "tree", "aliases": ["Ulmus"], "observations": ["tall", "old"]},
                {"name": "Fir", "observations": ["green"]},
                {"name": "Ash", "observations": ["grey"]},
            ],
            provenance={"session_id": "s1"},
        )
        caller.call(
            "create_relations", scope="project:p", relations=[{"from": "Elm", "type": "near", "to": "Fir"}]
        )
        task = caller.call("create_tasks", scope="project:p", tasks=[{"title": "Water the Elm"}])["results"][
            0
        ]["id"]
        caller.call("link_task_entity", task=task, entity="Elm", scope="project:p")
        caller.call("delete_observations", scope="project:p", items=[{"entity": "Elm", "contents": ["old"]}])
        caller.call("delete_entities", scope="project:p", names=["Ash"])
        caller.close()
    finally:
        service.stop()
    yield database


DEFECTS: dict[str, tuple[str, str]] = {
    "observations_without_an_entity": (
        "MATCH (:Entity {name: 'Fir'})-[r:HAS_OBSERVATION]->(o) DELETE r RETURN o.id AS id",
        "MATCH (e:Entity {name: 'Fir'}) MATCH (o:Observation {text: 'green'}) CREATE (e)-[:HAS_OBSERVATION]->(o)",
    ),
    "entities_without_their_own_key": (
        "MATCH (e:Entity {name: 'Fir'}) SET e.name_key = 'pine' RETURN e.id AS id",
        "MATCH (e:Entity {name: 'Fir'}) SET e.name_key = 'fir'",
    ),
    "keys_that_name_nothing": (
        "CREATE (:Alias {scope: 'shared', key: 'nobody'}) RETURN 'shared|nobody' AS id",
        "MATCH (a:Alias {key: 'nobody'}) DELETE a",
    ),
    "nodes_without_a_scope": (
        "MATCH (o:Observation {text: 'tall'}) SET o.scope = 'project:none' RETURN o.id AS id",
        "MATCH (o:Observation {text: 'tall'}) SET o.scope = 'project:p'",
    ),
    "edges_without_a_scope": (
        "MATCH ()-[r:RELATES_TO]->() SET r.scope = null RETURN r.id AS id",
        "MATCH ()-[r:RELATES_TO]->() SET r.scope = 'project:p'",
    ),
    "things_without_a_key": (
        "MATCH (o:Observation {text: 'tall'}) SET o.kept = o.key, o.key = null RETURN o.id AS id",
        "MATCH (o:Observation {text: 'tall'}) SET o.key = o.kept, o.kept = null",
    ),
    "searchable_without_words": (
        "MATCH (o:Observation {text: 'tall'}) SET o.kept = o.terms, o.terms = null RETURN o.id AS id",
        "MATCH (o:Observation {text: 'tall'}) SET o.terms = o.kept, o.kept = null",
    ),
    "live_but_not_searchable": (
        "MATCH (o:Observation {text: 'tall'}) REMOVE o:Searchable RETURN o.id AS id",
        "MATCH (o:Observation {text: 'tall'}) SET o:Searchable",
    ),
    "retired_but_searchable": (
        "MATCH (o:Observation {text: 'grey'}) SET o:Searchable RETURN o.id AS id",
        "MATCH (o:Observation {text: 'grey'}) REMOVE o:Searchable",
    ),
    "retired_label_differs": (
        "MATCH (e:Entity {name: 'Ash'}) REMOVE e:Retired RETURN e.id AS id",
        "MATCH (e:Entity {name: 'Ash'}) SET e:Retired",
    ),
    "owner_differs": (
        "MATCH (o:Observation {text: 'tall'}) SET o.kept = o.owner_id, o.owner_id = 'ent_x' RETURN o.id AS id",
        "MATCH (o:Observation {text: 'tall'}) SET o.owner_id = o.kept, o.kept = null",
    ),
    "history_incomplete": (
        "MATCH (e:Entity {name: 'Elm'}) SET e.revision = e.revision + 1 RETURN e.id AS id",
        "MATCH (e:Entity {name: 'Elm'}) SET e.revision = e.revision - 1",
    ),
    "not_sealed_for_long": (
        "CREATE (t:Transition {id: 'trn_x', scope: 'shared', unsealed: true, at: datetime() - duration('PT1H')}) "
        "RETURN t.id AS id",
        "MATCH (t:Transition {id: 'trn_x'}) DELETE t",
    ),
    "outside_the_log": (
        "CREATE (t:Transition {id: 'trn_x', scope: 'shared', at: datetime()}) RETURN t.id AS id",
        "MATCH (t:Transition {id: 'trn_x'}) DELETE t",
    ),
    "chain_end_differs": (
        "CREATE (h:ChainHead {scope: 'project:x', seq: 7}) RETURN h.scope AS id",
        "MATCH (h:ChainHead {scope: 'project:x'}) DELETE h",
    ),
    "import_cut_off": (
        "CREATE (i:Import {id: 'graphsvc', sha256: 'abc'}) RETURN i.sha256 AS id",
        "MATCH (i:Import) DELETE i",
    ),
    "schema_missing": (
        "DROP CONSTRAINT entity_name",
        "CREATE CONSTRAINT entity_name FOR (e:Entity) REQUIRE (e.scope, e.name_key) IS UNIQUE",
    ),
    "schema_version": (
        "MATCH (v:SchemaVersion) SET v.kept = v.version, v.version = 0",
        "MATCH (v:SchemaVersion) SET v.version = v.kept, v.kept = null",
    ),
}


def test_a_sound_graph_has_no_findings_and_each_defect_is_found_and_named(patient: Database) -> None:
    assert {name for name in Q if name.startswith("doctor/")} <= {f"doctor/{name}" for name in DEFECTS}
    sound = diagnosis_of(patient)
    assert sound.findings == []
    assert sound.checks == len([name for name in Q if name.startswith("doctor/")]) + 4
    for check, (plant, undo) in DEFECTS.items():
        planted = cypher(patient, plant)
        findings = {finding.check: finding for finding in diagnosis_of(patient).findings}
        cypher(patient, undo)
        assert check in findings, (check, sorted(findings))
        assert findings[check].advice
        if planted:
            assert planted[0]["id"] in findings[check].ids
    assert diagnosis_of(patient).findings == []


def test_the_command_says_what_to_do_and_ends_with_one(patient: Database, tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
    env |= {
        "GRAPHSVC_HOME": str(tmp_path),
        "GRAPHSVC_NEO4J_URI": patient.bolt_url,
        "GRAPHSVC_NEO4J_PASSWORD": patient.password,
    }

    def doctor(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "graphsvc", "doctor", *options],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    well = doctor("--json")
    assert (well.returncode, json.loads(well.stdout)["findings"]) == (0, [])
    plant, undo = DEFECTS["live_but_not_searchable"]
    planted: list[dict[str, Any]] = cypher(patient, plant)
    try:
        ill = doctor()
    finally:
        cypher(patient, undo)
    assert ill.returncode == 1
    assert f"such as {planted[0]['id']}" in ill.stdout
    assert "Retire and revive" in ill.stdout
