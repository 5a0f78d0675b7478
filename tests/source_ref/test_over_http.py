"""source_refs through the service: accepted wherever a memory may cite a document, and given back as they came.

Goal: spec 05, 11 §3.2: what is stored is the RFC 8785 form, what comes back is equal in value. Method: the sixty
payloads through observations, entities, claims' evidence and provenance over HTTP on a real service; the stored text
is looked at in the real database.
"""

import json
from typing import Any

import pytest

from graphsvc.domain.source_ref import parse_source_ref
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller
from tests.source_ref.payloads import BAD, GOOD

WHOLE = {"limit": 200_000}


def sent_as_json(value: Any) -> bool:
    """Whether a JSON text can carry the payload at all (not NaN, lone surrogates or Python's own types)."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def test_observations_give_back_what_came(agent: Caller, database: Database, world: World) -> None:
    contents = [{"text": f"cites {name}", "source_ref": value} for name, value in GOOD.items()]
    agent.call("create_entities", entities=[{"name": "Elm"}])
    added = agent.call("add_observations", items=[{"entity": "Elm", "contents": contents}])
    assert {one["outcome"] for one in added["results"][0]["observations"]} == {"added"}
    opened = agent.call("open_nodes", names=["Elm"], budget=WHOLE)["entities"][0]["observations"]
    by_text = {one["text"]: one["source_ref"] for one in opened}
    assert by_text == {f"cites {name}": value for name, value in GOOD.items()}
    rows = cypher(
        database,
        "MATCH (o:Observation {scope: $scope}) RETURN o.text AS text, o.source_ref AS stored",
        scope=world.scope("a"),
    )
    for row in rows:
        value = GOOD[row["text"].removeprefix("cites ")]
        assert row["stored"] == parse_source_ref(value).canonical, "the RFC 8785 form, byte for byte"
        assert parse_source_ref(by_text[row["text"]]).canonical == row["stored"], (
            "and so is what was given back"
        )


def test_an_entitys_source_ref_is_for_the_observations_that_name_none(agent: Caller) -> None:
    own, common = GOOD["every scalar"], GOOD["quote over several lines"]
    observations = ["cites the common one", {"text": "cites its own", "source_ref": own}]
    agent.call(
        "create_entities", entities=[{"name": "Elm", "observations": observations, "source_ref": common}]
    )
    opened = agent.call("open_nodes", names=["Elm"], budget=WHOLE)["entities"][0]["observations"]
    assert {one["text"]: one["source_ref"] for one in opened} == {
        "cites the common one": common,
        "cites its own": own,
    }


def test_evidence_of_claims_gives_back_what_came(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Elm"}])
    evidence = [{"kind": "document", "ref": name, "source_ref": value} for name, value in GOOD.items()]
    claims = [{"subject": "Elm", "predicate": "is", "object": "tall", "evidence": evidence}]
    claim = agent.call("propose_claims", claims=claims)["results"][0]["id"]
    listed = agent.call("list_claims", budget=WHOLE)["claims"][0]["evidence"]
    assert {part["ref"]: part["source_ref"] for part in listed} == GOOD
    chain = agent.call("get_provenance", id=claim, budget=WHOLE)["chain"]
    shown = {
        step["content"]["ref"]: step["content"]["source_ref"] for step in chain if step["step"] == "evidence"
    }
    assert shown == GOOD


@pytest.mark.parametrize("name", GOOD)
def test_provenance_gives_back_what_came(agent: Caller, name: str) -> None:
    entity = agent.call("create_entities", entities=[{"name": name}], provenance={"source_ref": GOOD[name]})
    transitions = agent.call("get_history", entity=name)["transitions"]
    assert transitions[0]["provenance"]["source_ref"] == GOOD[name]
    chain = agent.call("get_provenance", id=entity["results"][0]["id"])["chain"]
    assert chain[0]["transitions"][0]["source_ref"] == GOOD[name]


def test_bad_ones_are_refused_with_their_place_and_spoil_no_other(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Elm"}])
    sendable = {name: bad for name, bad in BAD.items() if bad.value is not None and sent_as_json(bad.value)}
    assert len(sendable) > 30
    for name, bad in sendable.items():
        contents = [{"text": f"bad {name}", "source_ref": bad.value}, f"good beside {name}"]
        outcomes = agent.call("add_observations", items=[{"entity": "Elm", "contents": contents}])["results"][
            0
        ]
        refused, kept = outcomes["observations"]
        assert (refused["outcome"], kept["outcome"]) == ("invalid", "added"), name
        assert refused["errors"][0]["path"].startswith("$.source_ref"), name
        assert bad.reason in refused["errors"][0]["reason"], name
        as_provenance = agent.post(
            "create_entities", {"entities": [{"name": "X"}], "provenance": {"source_ref": bad.value}}
        )
        assert as_provenance.status_code == 422, name
        assert as_provenance.json()["errors"][0]["path"].startswith("$.provenance.source_ref"), name
        assert agent.post("get_excerpt", {"source_ref": bad.value}).status_code == 422, name
    texts = [
        one["text"]
        for one in agent.call("open_nodes", names=["Elm"], budget=WHOLE)["entities"][0]["observations"]
    ]
    assert not [text for text in texts if text.startswith("bad ")]
