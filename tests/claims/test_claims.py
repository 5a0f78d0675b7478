"""Claims: proposed, extracted, listed, rejected; never shown as facts (spec 08).

Method: real service, real Neo4j, one scope a test.
"""

import pytest

from graphsvc.extractors.patterns import extract
from tests.conftest import World
from tests.harness.service_process import Caller

CLAIM = {"subject": "Acme Print", "predicate": "supplies", "object": "Paul Pack", "confidence": 0.8}


@pytest.fixture
def firm(world: World) -> Caller:
    """An agent that writes and governs, with two entities."""
    agent = world.agent(a="read,write,govern")
    agent.call(
        "create_entities",
        entities=[{"name": "Acme Print", "observations": ["prints"]}, {"name": "Paul Pack"}],
    )
    return agent


def test_a_claim_is_its_whole_content_and_each_item_has_its_outcome(firm: Caller) -> None:
    evidence = [{"kind": "text", "ref": "letter", "excerpt": "we supply"}]
    answer = firm.call(
        "propose_claims",
        claims=[
            {**CLAIM, "evidence": evidence},
            {**CLAIM, "evidence": evidence},
            {**CLAIM, "confidence": 0.9},
            {**CLAIM, "subject": "Nobody"},
            {**CLAIM, "object": {"id": "ent_" + "0" * 32}},
            {**CLAIM, "object": "a literal"},
            {**CLAIM, "confidence": 2},
            {**CLAIM, "scope": "project:none"},
        ],
    )
    outcomes = [result["outcome"] for result in answer["results"]]
    assert outcomes == [
        "created",
        "existing",
        "created",
        "skipped",
        "skipped",
        "created",
        "invalid",
        "skipped",
    ]
    claims = firm.call("list_claims", status="candidate", subject="Acme Print")["claims"]
    assert [claim["id"] for claim in claims] == [answer["results"][i]["id"] for i in (0, 2, 5)]
    assert claims[0]["object"]["name"] == "Paul Pack"
    assert claims[2]["object"] == "a literal"
    assert claims[0]["evidence"][0]["excerpt"] == "we supply"
    assert firm.call("list_facts")["facts"] == []
    assert "letter" not in str(firm.call("search_nodes", query="Acme Print supplies letter"))


def test_rejected_is_decided_once_and_retired_is_not_there(firm: Caller) -> None:
    claim = firm.call("propose_claims", claims=[CLAIM])["results"][0]["id"]
    assert firm.call("reject_claim", claim=claim, reason="hearsay")["decision"].startswith("dec_")
    assert firm.post("reject_claim", {"claim": claim}).status_code == 409
    assert [c["status"] for c in firm.call("list_claims")["claims"]] == ["rejected"]
    assert firm.call("retire", ids=[claim])["retired"] == 1
    assert firm.call("list_claims")["claims"] == []
    assert firm.post("reject_claim", {"claim": claim}).status_code == 404
    assert firm.call("propose_claims", claims=[CLAIM])["results"][0] == {
        "index": 0, "outcome": "revived", "id": claim, "status": "rejected",
    }  # fmt: skip


def test_foreign_claims_are_as_missing_ones(firm: Caller, world: World) -> None:
    claim = firm.call("propose_claims", claims=[CLAIM])["results"][0]["id"]
    other = world.agent(b="read,write,govern")
    for operation, extra in (("promote_candidate", {"mode": "human_confirmed"}), ("reject_claim", {})):
        foreign, missing = (
            other.post(operation, {"claim": ref, **extra}) for ref in (claim, "clm_" + "0" * 32)
        )
        assert foreign.status_code == missing.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**missing.json(), "request_id": ""}
    assert other.call("list_claims")["claims"] == []
    # Reading without governing is not enough.
    reader = world.agent(c="read,govern", a="read")
    assert reader.post("reject_claim", {"claim": claim}).status_code == 404


def test_the_pattern_extractor_proposes_what_a_text_says_plainly(firm: Caller) -> None:
    text = "Acme Print supplies Paul Pack. Paul Pack is based in Hall 4, they say; nobody owns it. It is a rumour."
    found = firm.call("extract_claims", text=text, dry_run=True)["results"]
    assert [(r["subject"], r["predicate"], r["object"]) for r in found] == [
        ("Acme Print", "supplies", "Paul Pack"),
        ("Paul Pack", "is based in", "Hall 4, they say"),
    ]
    assert firm.call("list_claims")["claims"] == []
    made = firm.call("extract_claims", text=text)["results"]
    assert [r["outcome"] for r in made] == ["created", "created"]
    assert [r["outcome"] for r in firm.call("extract_claims", text=text)["results"]] == ["existing"] * 2
    claims = firm.call("list_claims")["claims"]
    assert claims[0]["evidence"][0]["excerpt"] == "Acme Print supplies Paul Pack"
    assert firm.post("extract_claims", {"text": "x", "extractor": "none"}).status_code == 404
    assert list(extract(text)) == list(extract(text))
