"""source_ref/v1: what is accepted, what is refused and how it is said, and that nothing changes on the way.

Method: a corpus of sixty payloads goes through the validator, the published JSON Schema and a request model;
hypothesis makes more of them for the laws of the canonical form.
"""

import hashlib
import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from graphsvc.domain.source_ref import SourceRef, SourceRefError, parse_source_ref
from graphsvc.domain.source_ref_schema import SourceRefField, published_schema
from tests.source_ref.payloads import BAD, GOOD, Bad, envelope, nested

SCHEMA = Draft202012Validator(published_schema())


class Item(BaseModel):
    source_ref: SourceRefField


class Request(BaseModel):
    items: list[Item]


def test_the_corpus_has_the_promised_size() -> None:
    assert (len(GOOD), len(BAD)) == (20, 40)


@pytest.mark.parametrize("value", GOOD.values(), ids=GOOD)
def test_good_payloads_come_back_unchanged(value: dict[str, Any]) -> None:
    ref = parse_source_ref(value)
    assert ref.value == value
    assert parse_source_ref(ref.value) == ref, "what is returned can be sent again"
    assert parse_source_ref(json.loads(ref.canonical)) == ref, (
        "so can the canonical text, read by any JSON parser"
    )
    assert SourceRef(ref.canonical).sha256 == hashlib.sha256(ref.canonical.encode()).hexdigest()
    SCHEMA.validate(value)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_payloads_are_refused_with_place_and_reason(bad: Bad) -> None:
    with pytest.raises(SourceRefError) as refused:
        parse_source_ref(bad.value)
    path, reason = refused.value.problems[0]
    assert path == bad.path
    assert bad.reason in reason


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_schema_and_validator_agree(bad: Bad) -> None:
    assert SCHEMA.is_valid(bad.value) is bad.beyond_schema


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(published_schema())


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_request_model_refuses_at_the_place_in_the_request(bad: Bad) -> None:
    with pytest.raises(ValidationError) as refused:
        Request.model_validate({"items": [{"source_ref": GOOD["smallest"]}, {"source_ref": bad.value}]})
    errors = refused.value.errors(include_url=False)
    assert all(error["loc"][:3] == ("items", 1, "source_ref") for error in errors)
    assert all(error["input"] is None for error in errors), "an error repeats nothing of what was sent"


@pytest.mark.parametrize("value", GOOD.values(), ids=GOOD)
def test_a_request_model_takes_and_gives_json(value: dict[str, Any]) -> None:
    item = Item.model_validate({"source_ref": value})
    assert item.source_ref == parse_source_ref(value)
    assert json.loads(item.model_dump_json()) == {"source_ref": value}


def test_a_request_model_describes_the_field_as_published() -> None:
    described = Request.model_json_schema()
    again = Draft202012Validator({"$ref": "#/$defs/SourceRef", "$defs": described["$defs"]})
    for value in GOOD.values():
        again.validate(value)
    for bad in BAD.values():
        assert again.is_valid(bad.value) is bad.beyond_schema


def test_every_problem_is_listed_with_the_root_given() -> None:
    value = {"schema": "source_ref/v3", "ref": [], "odd": 1, "x_n": {"n": math.nan, "s": "\x07"}}
    with pytest.raises(SourceRefError) as refused:
        parse_source_ref(value, root="$.items[2].source_ref")
    assert [path.removeprefix("$.items[2].source_ref") for path, _ in refused.value.problems] == [
        ".resolver", ".schema", ".ref", ".odd", ".x_n.n", ".x_n.s",
    ]  # fmt: skip
    assert str(refused.value).startswith("$.items[2].source_ref.resolver: is required; ")


def test_the_list_of_problems_is_bounded() -> None:
    with pytest.raises(SourceRefError) as refused:
        parse_source_ref(envelope(ref={"list": ["\x00"] * 100}))
    assert len(refused.value.problems) == 16


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400])
def test_numbers_that_json_cannot_hold_are_refused(number: float) -> None:
    with pytest.raises(SourceRefError, match=r"\$\.ref\.n: "):
        parse_source_ref(envelope(ref={"n": number}))


@pytest.mark.parametrize("surrogate", ["\ud800", "a\udfff"])
def test_lone_surrogates_are_refused(surrogate: str) -> None:
    with pytest.raises(SourceRefError, match="surrogate"):
        parse_source_ref(envelope(ref={"path": surrogate}))
    with pytest.raises(SourceRefError, match="surrogate"):
        parse_source_ref(envelope(ref={surrogate: 1}))


def test_hostile_payloads_cost_little() -> None:
    """Depth beyond the interpreter's own limit, and lists of a whole request body, end in a short answer."""
    for value in (nested(sys.getrecursionlimit() * 10), [0] * 2_000_000, {str(n): n for n in range(200_000)}):
        with pytest.raises(SourceRefError) as refused:
            parse_source_ref(envelope(ref={"v": value}))
        assert len(str(refused.value)) < 2_000


json_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | json_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(json_text, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(json_text, json_values, max_size=4)


@given(objects, objects)
def test_what_is_accepted_keeps_its_value_and_one_text(ref: dict[str, Any], hints: dict[str, Any]) -> None:
    try:
        parsed = parse_source_ref(envelope(ref=ref, hints=hints))
    except SourceRefError as error:
        assert all("levels" in reason or "bytes" in reason for _, reason in error.problems)
        return
    assert parsed.value == envelope(ref=ref, hints=hints)
    shuffled = dict(reversed(envelope(ref=ref, hints=dict(reversed(hints.items()))).items()))
    assert parse_source_ref(shuffled).canonical == parsed.canonical, "the order of keys does not count"
    assert SCHEMA.is_valid(parsed.value)


@given(st.integers())
def test_whole_numbers_are_kept_exactly_or_refused(number: int) -> None:
    try:
        parsed = parse_source_ref(envelope(ref={"n": number}))
    except SourceRefError:
        assert abs(number) > 2**53 - 1
        return
    assert parsed.value["ref"]["n"] == number
    assert json.loads(parsed.canonical)["ref"]["n"] == number
