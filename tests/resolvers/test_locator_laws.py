"""The laws of places in a text.

Goal: a reference made from a span always resolves to that span; after any edit it is verified or says why
not; an excerpt never exceeds its level, never cuts a character, and holds the selected place. Method:
hypothesis draws documents (all of Unicode, all line ends, repeated pieces so that quotes are ambiguous),
spans in each unit, and edits. The functions under test are pure.
"""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from graphsvc.resolvers.base import ResolvedDocument
from graphsvc.resolvers.excerpt import LEVEL_BYTES_MAX, Excerpt, Level, cut, window
from graphsvc.resolvers.locator import Span, is_boundary, select
from tests.resolvers.support import sha256

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
pieces = st.sampled_from(["a", "ab", "\n", "\r\n", "\r", "é", "e\u0301", "设备", "🏭", "# T\n", " ", "\t"])
documents = st.lists(pieces | characters, max_size=40).map("".join)
levels = st.sampled_from(["L0", "L1", "L2"])


@st.composite
def document_and_span(draw: st.DrawFn) -> tuple[str, int, int]:
    """A document and a span of it in code points."""
    text = draw(documents.filter(bool))
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


def byte_span(text: str, start: int, end: int) -> Span:
    return Span(len(text[:start].encode()), len(text[:end].encode()))


def quote_of(text: str, start: int, end: int, around: int) -> dict[str, Any]:
    return {
        "exact": text[start:end],
        "prefix": text[max(0, start - around) : start],
        "suffix": text[end : end + around],
    }


@given(document_and_span())
def test_a_position_in_bytes_resolves_to_its_span(case: tuple[str, int, int]) -> None:
    text, start, end = case
    span = byte_span(text, start, end)
    position = {"start": span.start, "end": span.end, "unit": "utf8_bytes"}
    assert select(text.encode(), {"text_position": position}) == (span, "text_position", ())


@given(document_and_span())
def test_a_position_in_code_points_resolves_to_its_span(case: tuple[str, int, int]) -> None:
    text, start, end = case
    selected = select(text.encode(), {"text_position": {"start": start, "end": end, "unit": "code_points"}})
    assert selected == (byte_span(text, start, end), "text_position", ())


@given(documents, st.data())
def test_lines_resolve_to_what_stands_in_them(text: str, data: st.DataObject) -> None:
    lines = [
        line.decode() for line in text.encode().splitlines(keepends=True)
    ]  # LF, CRLF, CR: what bytes know
    assume(lines)
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    span, selector, problems = select(text.encode(), {"line_range": {"start": first, "end": last}})
    assert (selector, problems) == ("line_range", ())
    assert span is not None
    named = "".join(lines[first - 1 : last])
    assert span.start == len("".join(lines[: first - 1]).encode())
    assert text.encode()[span.start : span.end].decode() == named.removesuffix("\n").removesuffix("\r")
    beyond = {"start": first, "end": len(lines) + 1}
    assert select(text.encode(), {"line_range": beyond}) == (None, "start", ("position_out_of_range",))


@given(document_and_span(), st.integers(0, 6))
def test_a_quote_resolves_to_its_span_or_is_ambiguous(case: tuple[str, int, int], around: int) -> None:
    text, start, end = case
    quote = quote_of(text, start, end, around)
    whole = quote["prefix"] + quote["exact"] + quote["suffix"]
    occurrences = sum(text.startswith(whole, position) for position in range(len(text)))
    selected = select(text.encode(), {"quote": quote})
    if occurrences == 1:
        assert selected == (byte_span(text, start, end), "quote", ())
    else:
        assert selected == (None, "start", ("quote_ambiguous",)), "ambiguity chooses nothing"


@given(document_and_span(), st.integers(0, 6), st.sampled_from(["utf8_bytes", "code_points"]))
def test_a_quote_with_its_position_always_resolves_to_its_span(
    case: tuple[str, int, int], around: int, unit: str
) -> None:
    text, start, end = case
    span = byte_span(text, start, end)
    low, high = (span.start, span.end) if unit == "utf8_bytes" else (start, end)
    locator = {
        "quote": quote_of(text, start, end, around),
        "text_position": {"start": low, "end": high, "unit": unit},
    }
    assert select(text.encode(), locator) == (span, "quote", ())


@given(document_and_span())
def test_a_quote_with_its_line_is_right_or_ambiguous(case: tuple[str, int, int]) -> None:
    text, start, end = case
    content, span = text.encode(), byte_span(*case)
    number = len((content[: span.start] + b"x").splitlines())
    last = len((content[: span.end - 1] + b"x").splitlines()) if span.end > span.start else number
    locator = {"quote": {"exact": text[start:end]}, "line_range": {"start": number, "end": max(number, last)}}
    selected = select(content, locator)
    if selected.selector == "quote":
        assert selected.span is not None
        found = content[selected.span.start : selected.span.end]
        assert found == text[start:end].encode()
        assert selected.span == span or content.count(found) > 1
    else:
        assert "quote_ambiguous" in selected.problems


@given(document_and_span(), document_and_span(), st.integers(0, 5), levels)
def test_after_any_edit_it_is_verified_or_says_why_not(
    case: tuple[str, int, int], edit: tuple[str, int, int], around: int, level: Level
) -> None:
    """An edit replaces a part of the document by other text (or by nothing)."""
    text, start, end = case
    replacement, cut_from, cut_to = edit
    edited = text[:cut_from] + replacement + text[cut_to:]
    chosen = text[start:end].encode()
    reference = {
        "locator": {"quote": quote_of(text, start, end, around)},
        "hashes": {"content_sha256": sha256(text.encode()), "excerpt_sha256": sha256(chosen)},
    }
    found = cut(ResolvedDocument(edited.encode()), reference, level, "best_effort")
    assert found.verified is (not found.problems)
    if edited == text:
        assert set(found.problems) <= {"quote_ambiguous", "excerpt_hash_mismatch"}
        assert found.verified or "quote_ambiguous" in found.problems
    else:
        assert "content_hash_mismatch" in found.problems
    if found.selector == "quote":
        assert found.span is not None
        assert edited.encode()[found.span.start : found.span.end] == chosen, "never another place"
    else:
        assert {"quote_not_found", "quote_ambiguous"} & set(found.problems), "a fallback is named"


@given(documents, st.data(), st.integers(1, 64))
def test_a_window_is_bounded_whole_and_around_its_match(
    text: str, data: st.DataObject, bytes_max: int
) -> None:
    content = text.encode()
    start = data.draw(st.integers(0, len(text)))
    match = byte_span(text, start, data.draw(st.integers(start, len(text))))
    shown = window(content, match, bytes_max)
    assert shown.end - shown.start <= bytes_max
    content[shown.start : shown.end].decode()
    if match.end - match.start <= bytes_max:
        assert shown.start <= match.start
        assert match.end <= shown.end
        # Centred, unless the document ends on one side; a cut character may take three bytes off either side.
        before, after = match.start - shown.start, shown.end - match.end
        assert abs(before - after) <= 7 or shown.start == 0 or shown.end == len(content)
    else:
        assert shown.start == match.start
    if len(content) <= bytes_max:
        assert shown == (0, len(content))


@given(document_and_span(), levels)
def test_what_was_answered_can_be_verified_later(case: tuple[str, int, int], level: Level) -> None:
    """The hashes of an answer, put into the reference, verify at every level."""
    text, start, end = case
    content = ResolvedDocument(text.encode())
    locator = {"text_position": {"start": start, "end": end, "unit": "code_points"}}
    first: Excerpt = cut(content, {"locator": locator}, level, "best_effort")
    assert not first.verified, "nothing was there to check"
    hashes = {"content_sha256": first.content_sha256, "excerpt_sha256": first.excerpt_sha256}
    for later in LEVEL_BYTES_MAX:
        assert cut(content, {"locator": locator, "hashes": hashes}, later, "best_effort").verified


@given(st.data(), st.booleans(), levels, levels)
def test_a_narrowed_excerpt_is_the_one_of_the_lower_level(
    data: st.DataObject, located: bool, high: Level, low: Level
) -> None:
    """As a budget asks for it; in documents that are larger than the levels."""
    unit = data.draw(st.text(alphabet="a\né設🏭", min_size=1, max_size=9))
    text = unit * data.draw(st.integers(1, 40_000 // len(unit.encode())))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + data.draw(st.sampled_from([3, 300, 12_000])))))
    position = {"start": start, "end": end, "unit": "code_points"}
    value = {"locator": {"text_position": position} if located else {}}
    if LEVEL_BYTES_MAX[low] > LEVEL_BYTES_MAX[high]:
        high, low = low, high
    document = ResolvedDocument(text.encode())
    assert cut(document, value, high, "best_effort").narrowed(low) == cut(document, value, low, "best_effort")


@given(documents, st.integers(0, 200))
def test_boundaries_are_those_of_characters(text: str, position: int) -> None:
    ends = {len(text[:index].encode()) for index in range(len(text) + 1)}
    assert is_boundary(text.encode(), position) is (position in ends)
