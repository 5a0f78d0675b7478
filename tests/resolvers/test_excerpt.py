"""Excerpts by example: levels, selectors in their order, problem codes, what `verified` means, headings.

Method: documents given as bytes to the pure `cut`; the laws are in test_locator_laws.
"""

from typing import Any

import pytest

from graphsvc import limits
from graphsvc.errors import InvalidRequest
from graphsvc.resolvers.base import DocumentProblem, ResolvedDocument
from graphsvc.resolvers.excerpt import Excerpt, Level, cut
from graphsvc.resolvers.locator import parse_locator
from tests.resolvers.support import sha256

PAGE = b"""# Handbook

Who we work with.

## Suppliers

Acme Print offers same-day turnaround.
Paul Pack offers same-day turnaround on weekdays.

```sh
# Suppliers
```

### Abroad

None yet.

Customers
---------

Many.
"""


def of(content: bytes, locator: dict[str, Any] | None = None, level: Level = "L1", **parts: Any) -> Excerpt:
    return cut(ResolvedDocument(content), {"locator": locator or {}, **parts}, level, "best_effort")


@pytest.mark.parametrize(("level", "bytes_max"), [("L0", 256), ("L1", 8 * 1024), ("L2", 32 * 1024)])
def test_each_level_has_its_cap(level: Level, bytes_max: int) -> None:
    content = "é🏭 ".encode() * 20_000
    at = len(content) // 14 * 7
    found = of(content, {"text_position": {"start": at, "end": at + 6}}, level)
    assert found.excerpt is not None
    assert bytes_max - 6 <= len(found.excerpt.encode()) <= bytes_max
    assert found.excerpt_span is not None
    assert abs((found.excerpt_span.start + found.excerpt_span.end) // 2 - (at + 3)) <= 8, (
        "centred on the match"
    )
    assert found.excerpt_sha256 == sha256(found.excerpt.encode())
    assert found.content_sha256 == sha256(content)


def test_without_a_locator_it_is_the_start() -> None:
    found = of(PAGE * 10, None, "L0")
    assert (found.selector, found.span, found.problems) == ("start", (0, 256), ())
    assert found.excerpt == (PAGE * 10)[:256].decode()


def test_an_empty_document_has_an_empty_excerpt() -> None:
    found = of(b"")
    assert (found.excerpt, found.span, found.problems) == ("", (0, 0), ())


def test_selectors_are_tried_in_order_and_failures_are_named() -> None:
    locator: dict[str, Any] = {
        "quote": {"exact": "two-day turnaround"},
        "text_position": {"start": 0, "end": 10**6},
        "line_range": {"start": 1, "end": 900},
        "heading": "Partners",
    }
    found = of(PAGE, locator)
    assert (found.selector, found.verified) == ("start", False)
    assert found.problems == ("quote_not_found", "position_out_of_range", "heading_not_found")
    assert of(PAGE, {**locator, "line_range": {"start": 1, "end": 1}}).selector == "line_range"


def test_a_quote_that_occurs_twice_needs_more() -> None:
    quote = {"exact": "same-day turnaround"}
    assert of(PAGE, {"quote": quote}).problems == ("quote_ambiguous",)
    second = PAGE.rindex(b"same-day")
    for refined in (
        {"quote": {**quote, "suffix": " on"}},
        {"quote": quote, "text_position": {"start": second, "end": second + 19}},
        {"quote": quote, "line_range": {"start": 8, "end": 8}},
    ):
        found = of(PAGE, refined)
        assert (found.selector, found.span, found.problems) == ("quote", (second, second + 19), ())
    both = of(PAGE, {"quote": quote, "line_range": {"start": 7, "end": 8}})
    assert (both.selector, both.problems) == ("line_range", ("quote_ambiguous",))


def test_a_quote_may_hold_the_end_of_its_line() -> None:
    found = of(b"x\ny\nx\n", {"quote": {"exact": "x\n"}, "line_range": {"start": 3, "end": 3}})
    assert (found.selector, found.span) == ("quote", (4, 6))


def test_positions_inside_a_character_are_out_of_range() -> None:
    assert of("aé".encode(), {"text_position": {"start": 0, "end": 2}}).problems == ("position_out_of_range",)
    by_characters = of("aé".encode(), {"text_position": {"start": 0, "end": 2, "unit": "code_points"}})
    assert by_characters.span == (0, 3)


def test_a_heading_is_its_section() -> None:
    found = of(PAGE, {"heading": "Suppliers"})
    assert found.span is not None
    section = PAGE[found.span.start : found.span.end].decode()
    assert section.startswith("## Suppliers\n")
    assert section.endswith("None yet.\n\n"), "up to the next heading of its level, a setext one too"
    last = of(PAGE, {"heading": " Customers "}).span
    assert last == (PAGE.index(b"Customers"), len(PAGE))


def test_equal_headings_choose_nothing() -> None:
    assert of(b"# A\n\nx\n\n# A\n\ny\n", {"heading": "A"}).problems == ("heading_ambiguous",)


def test_headings_count_lines_as_everything_else_does() -> None:
    found = of(b"intro\r\rtext\r\n\r\n# A\r\nbody\r# B\nend", {"heading": "A"})
    assert found.span is not None
    assert (
        b"intro\r\rtext\r\n\r\n# A\r\nbody\r# B\nend"[found.span.start : found.span.end] == b"# A\r\nbody\r"
    )


def test_a_heading_of_a_very_large_document_is_not_looked_for() -> None:
    large = b"# A\n" + b"x\n" * limits.HEADING_DOCUMENT_LINES_MAX
    assert of(large, {"heading": "A"}).problems == ("too_large",)


def test_lines_far_into_a_document_are_found() -> None:
    lines = [b"%d\r" % n if n % 3 else b"%d\r\n" % n for n in range(1, 60_001)]
    for number in (1, 2, 9_999, 59_999, 60_000):
        span = of(b"".join(lines), {"line_range": {"start": number, "end": number}}).span
        assert span is not None
        assert b"".join(lines)[span.start : span.end] == b"%d" % number
    for number in (60_001, 2**53 - 1):
        beyond = of(b"".join(lines), {"line_range": {"start": number, "end": number}})
        assert beyond.problems == ("position_out_of_range",)


def test_a_locator_of_another_kind_is_no_silent_start() -> None:
    found = of(PAGE, {"xpath": "//h1"})
    assert (found.selector, found.problems) == ("start", ("locator_unknown",))


@pytest.mark.parametrize(
    ("locator", "path"),
    [
        ({"quote": {"exact": ""}}, "$.source_ref.locator.quote.exact"),
        ({"quote": "words"}, "$.source_ref.locator.quote"),
        ({"text_position": {"start": -1, "end": 2}}, "$.source_ref.locator.text_position.start"),
        ({"text_position": {"start": 3, "end": 2}}, "$.source_ref.locator.text_position"),
        (
            {"text_position": {"start": 0, "end": 2, "unit": "bytes"}},
            "$.source_ref.locator.text_position.unit",
        ),
        ({"text_position": {"start": True, "end": 2}}, "$.source_ref.locator.text_position.start"),
        ({"line_range": {"start": 0, "end": 1}}, "$.source_ref.locator.line_range.start"),
        ({"line_range": {"start": 1}}, "$.source_ref.locator.line_range.end"),
        ({"heading": ["A"]}, "$.source_ref.locator.heading"),
    ],
)
def test_a_selector_of_the_wrong_shape_is_refused(locator: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_locator(locator)
    assert [problem.path for problem in refused.value.problems] == [path]


def test_verified_needs_something_that_was_checked_and_held() -> None:
    right, wrong = sha256(PAGE), sha256(b"")
    assert not of(PAGE).verified
    assert of(PAGE, hashes={"content_sha256": right}).verified
    assert of(PAGE, hashes={"content_sha256": right.upper()}).verified
    assert of(PAGE, state={"content_sha256": right}).verified
    assert of(PAGE, hashes={"content_sha256": wrong}).problems == ("content_hash_mismatch",)
    assert of(PAGE, state={"content_sha256": wrong}, hashes={"content_sha256": right}).problems == (
        "content_hash_mismatch",
    )
    assert of(PAGE, hashes={"content_sha256": 7}).problems == ("content_hash_mismatch",)
    assert of(PAGE, hashes={"excerpt_sha256": wrong}).problems == ("excerpt_hash_mismatch",)


def test_what_cannot_be_checked_keeps_it_unverified() -> None:
    right = sha256(PAGE)
    for unchecked in ({"hashes": {"content_sha256": right, "md5": "…"}}, {"state": {"version": 3}}):
        found = of(PAGE, **unchecked)
        assert (found.verified, found.problems) == (False, ())


def test_a_selector_that_fails_keeps_it_unverified() -> None:
    found = of(PAGE, {"quote": {"exact": "nowhere"}}, hashes={"content_sha256": sha256(PAGE)})
    assert (found.verified, found.problems) == (False, ("quote_not_found",))


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0", "größe".encode("latin-1"), "x".encode("utf-16")])
def test_what_is_no_text_is_binary(content: bytes) -> None:
    with pytest.raises(DocumentProblem, match="binary"):
        of(content)


def test_documents_have_a_size() -> None:
    assert of(b"x" * limits.DOCUMENT_BYTES_MAX).excerpt
    with pytest.raises(DocumentProblem, match="too_large"):
        of(b"x" * (limits.DOCUMENT_BYTES_MAX + 1))


def test_the_answer_is_plain_json() -> None:
    answer = of(
        b"one two", {"quote": {"exact": "two"}}, hashes={"excerpt_sha256": sha256(b"two")}
    ).as_answer()
    assert answer == {
        "excerpt": "one two",
        "span": {"start": 4, "end": 7, "unit": "utf8_bytes"},
        "excerpt_span": {"start": 0, "end": 7, "unit": "utf8_bytes"},
        "selector": "quote",
        "tier": "best_effort",
        "verified": True,
        "problems": [],
        "content_sha256": sha256(b"one two"),
        "excerpt_sha256": sha256(b"one two"),
    }
