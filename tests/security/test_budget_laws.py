"""Size on the wire is a promise: the laws of spec 03, Budget and accounting.

Goal: for every content and every budget, the body is never larger than its limit and says its true size; returned and
dropped make considered; the first hit never disappears as the limit grows; pointers off is byte-identical. Method:
hypothesis over the pure delivery, then through HTTP over a real graph with every limit from nothing to plenty.
"""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.domain.budget import Limit
from graphsvc.domain.delivery import Found, deliver_search
from graphsvc.domain.evidence import EntityHit, ObservationHit
from graphsvc.domain.pointers import PointerBlock
from graphsvc.errors import BudgetTooSmall
from tests.conftest import World
from tests.harness.tally import TALLY
from tests.security.test_frames import parse_block

texts = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from('<>&"\\\n \u0301\U0001f469')),
    max_size=400,
)
scores = st.floats(0, 20).map(lambda score: round(score, 4))
limits = st.integers(1, 6_000)
units = st.sampled_from(["chars", "bytes", "tokens"])


@st.composite
def founds(draw: st.DrawFn) -> Found:
    """What a search may have found, ranked."""
    hits = []
    for i in range(draw(st.integers(0, 5))):
        observations = [
            ObservationHit(
                {"id": f"obs_{i}_{j}", "text": "", "scope": "shared", "score": score, "window": None,
                 "observed_at": None, "last_seen_at": "t"},
                text, score,
            )
            for j, (text, score) in enumerate(
                sorted(draw(st.lists(st.tuples(texts.filter(bool), scores), max_size=4)), key=lambda pair: -pair[1])
            )
        ]  # fmt: skip
        entity = {
            "id": f"ent_{i}",
            "name": draw(texts),
            "kind": None,
            "scope": "shared",
            "aliases": [],
            "last_seen_at": "t",
        }
        relations = [
            {
                "id": f"rel_{i}_{j}",
                "type": draw(texts),
                "direction": "out",
                "entity": {"id": "x", "name": "n", "kind": None},
            }
            for j in range(draw(st.integers(0, 3)))
        ]
        best = observations[0].score if observations else draw(scores)
        hits.append(EntityHit(entity, "match", best, {"lexical": best}, observations, relations))
    hits.sort(key=lambda hit: -hit.score)
    pointers = None
    if draw(st.booleans()):
        items = [
            {"entity_id": f"ent_{i}", "kind": draw(texts), "span": [i, i + 1]}
            for i in range(draw(st.integers(0, 4)))
        ]
        pointers = PointerBlock(items, len(items), 0, 0, 0)
    return Found(hits, len(hits), False, not hits, pointers)


def no_spans(_text: str) -> Sequence[tuple[int, int]]:
    return []


@settings(max_examples=400)
@given(founds(), units, limits, st.booleans())
def test_a_body_keeps_its_budget_and_accounts_for_everything(
    found: Found, unit: Any, value: int, as_block: bool
) -> None:
    TALLY["budgets kept"] += 1
    limit = Limit(unit, value)
    try:
        body = deliver_search(found, limit, no_spans, as_block=as_block)
    except BudgetTooSmall as error:
        least = int(error.problems[0].reason.split()[4])
        assert least > value
        assert limit.used(deliver_search(found, Limit(unit, least), no_spans, as_block=as_block)) <= least
        return
    assert body == deliver_search(found, limit, no_spans, as_block=as_block)
    accounting = check_body(body, limit, as_block=as_block)
    assert accounting["entities"]["considered"] == len(found.hits)
    assert accounting["observations"]["matched"] == found.observations


def check_body(body: str, limit: Limit, *, as_block: bool) -> dict[str, Any]:
    """The laws that hold for every body; its accounting."""
    if as_block:
        records = parse_block(body)[1]
        accounting = records[-1][1]
        evidence = [record for name, record in records if name not in {"pointers", "accounting"}]
    else:
        answer = json.loads(body)
        accounting, evidence = answer["accounting"], answer["evidence"]
    assert limit.used(body) == accounting["budget"]["used"] <= limit.limit
    entities, observations = accounting["entities"], accounting["observations"]
    assert entities["considered"] == entities["returned"] + sum(accounting["dropped"]["entities"].values())
    assert observations["matched"] == observations["returned"] + sum(
        accounting["dropped"]["observations"].values()
    )
    assert entities["returned"] == len(evidence)
    assert observations["returned"] == sum(len(record["observations"]) for record in evidence)
    assert accounting["neighbours"]["returned"] == sum(len(record["relations"]) for record in evidence)
    assert accounting["windowed"] == sum(o["window"] is not None for r in evidence for o in r["observations"])
    if "pointers" in accounting:
        assert accounting["pointers"]["used"] <= 2_048
    return dict(accounting)


@settings(max_examples=150)
@given(founds(), units, limits, st.integers(1, 3_000))
def test_the_first_hit_never_disappears_as_the_limit_grows(
    found: Found, unit: Any, value: int, more: int
) -> None:
    try:
        small = json.loads(deliver_search(found, Limit(unit, value), no_spans))
    except BudgetTooSmall:
        return
    large = json.loads(deliver_search(found, Limit(unit, value + more), no_spans))
    first = found.hits[0].entity["id"] if found.hits else None
    if any(record["entity"]["id"] == first for record in small["evidence"]):
        assert large["evidence"][0]["entity"]["id"] == first


@pytest.fixture
def filled(world: World) -> Any:
    """An agent with a small graph of long and short facts."""
    agent = world.agent(a="read,write")
    entities = [
        {"name": f"Thing {i}", "kind": "artifact", "aliases": [f"Gadget {i}"],
         "observations": [f"saffron {'filler <&> ' * (i * 7)} end {i} {j} \U0001f469\u200d" for j in range(3)]}
        for i in range(12)
    ]  # fmt: skip
    agent.call("create_entities", entities=entities)
    pairs = [{"from": f"Thing {i}", "type": "beside", "to": f"Thing {i + 1}"} for i in range(11)]
    agent.call("create_relations", relations=pairs)
    return agent


def test_every_budget_is_kept_over_http(filled: Any) -> None:
    first: str | None = None
    for unit in ("chars", "bytes", "tokens"):
        first = None
        for value in (1, 100, 250, 400, 500, 600, 800, 1_100, 1_500, 2_000, 4_000, 9_000, 60_000, 200_000):
            request = {
                "query": "saffron Gadget 3",
                "budget": {"unit": unit, "limit": value},
                "pointers": True,
            }
            response = filled.post("search_nodes", request)
            TALLY["budgets kept"] += 1
            if response.status_code == 422:
                assert response.json()["type"] == "/errors/budget_too_small"
                continue
            limit = Limit(unit, value)  # type: ignore[arg-type]
            check_body(response.text, limit, as_block=False)
            evidence = response.json()["evidence"]
            if evidence:
                first = first or evidence[0]["entity"]["id"]
                assert evidence[0]["entity"]["id"] == first
            else:
                assert first is None, "the first hit disappeared as the limit grew"
            opened = filled.post(
                "open_nodes", {"names": ["Thing 9"], "budget": {"unit": unit, "limit": value}}
            )
            if opened.status_code == 200:
                assert limit.used(opened.text) == opened.json()["accounting"]["budget"]["used"] <= value


def test_pointers_off_is_byte_identical(filled: Any) -> None:
    request = {"query": "saffron Gadget 3", "budget": {"unit": "chars", "limit": 4_000}}
    plain, off = (
        filled.post("search_nodes", request),
        filled.post("search_nodes", {**request, "pointers": False}),
    )
    assert plain.content == off.content
    assert "pointers" not in plain.json()
    assert "pointers" not in plain.json()["accounting"]
