"""Finding the place in a text that a locator names (spec 05). Pure.

Every place is a span of UTF-8 bytes that starts and ends between characters. The selectors are tried in
order; each one that is given and does not hold leaves its problem code, so that a fallback is never silent.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from markdown_it import MarkdownIt
from pydantic import Field, model_validator

from graphsvc import limits
from graphsvc.resolvers.base import Part, ProblemCode, parse_part

Selector = Literal["quote", "text_position", "line_range", "heading", "start"]

_LAST_LINE_END: Final = re.compile(rb"(?:\r\n|\n|\r)\Z")
_BLOCK_BYTES: Final = 64 * 1024
"""Lines are skipped by the block, counted in C."""
_WITHIN_CHARACTER: Final = range(0x80, 0xC0)
"""Second and later bytes of a character in UTF-8."""


class Span(NamedTuple):
    """From byte `start` up to byte `end` (not included) of a document in UTF-8."""

    start: int
    end: int


class Quote(Part):
    """The words themselves, and what stands right before and after them."""

    exact: Annotated[str, Field(min_length=1)]
    prefix: str = ""
    suffix: str = ""


class _Range(Part):
    start: int
    end: int

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start > self.end:
            raise ValueError("start must not be after end")
        return self


class TextPosition(_Range):
    """From `start` up to `end` (not included), counted from 0."""

    start: Annotated[int, Field(ge=0)]
    unit: Literal["utf8_bytes", "code_points"] = "utf8_bytes"


class LineRange(_Range):
    """From line `start` to line `end` (included), counted from 1. Lines end with LF, CRLF or CR."""

    start: Annotated[int, Field(ge=1)]


class Locator(Part):
    """The selectors that this version knows."""

    quote: Quote | None = None
    text_position: TextPosition | None = None
    line_range: LineRange | None = None
    heading: Annotated[str, Field(min_length=1)] | None = None


class Selection(NamedTuple):
    """Where the locator leads, which selector led there, and what did not hold on the way.

    `span` is None for `start`: no place was named, or none that holds.
    """

    span: Span | None
    selector: Selector
    problems: tuple[ProblemCode, ...]


class _NotThereError(Exception):
    def __init__(self, code: ProblemCode) -> None:
        self.code: ProblemCode = code
        super().__init__(code)


def parse_locator(locator: Mapping[str, Any]) -> Locator:
    """Read the selectors; InvalidRequest for one whose shape is wrong."""
    return parse_part(Locator, locator, "locator")


def select(text: bytes, locator: Mapping[str, Any]) -> Selection:
    """The place in `text` (valid UTF-8) that `locator` names: the first selector that is given and holds."""
    problems: list[ProblemCode] = []
    for selector, find in _selectors(text, parse_locator(locator)):
        try:
            return Selection(find(), selector, tuple(problems))
        except _NotThereError as finding:
            problems.append(finding.code)
    if locator and not problems:
        problems.append("locator_unknown")
    return Selection(None, "start", tuple(dict.fromkeys(problems)))


def _selectors(text: bytes, wanted: Locator) -> Iterator[tuple[Selector, Callable[[], Span]]]:
    if wanted.quote is not None:
        yield "quote", partial(_by_quote, text, wanted.quote, wanted)
    if wanted.text_position is not None:
        yield "text_position", partial(_by_position, text, wanted.text_position)
    if wanted.line_range is not None:
        yield "line_range", partial(_by_lines, text, wanted.line_range)
    if wanted.heading is not None:
        yield "heading", partial(_by_heading, text, wanted.heading)


def _by_quote(text: bytes, quote: Quote, wanted: Locator) -> Span:
    prefix, exact, suffix = quote.prefix.encode(), quote.exact.encode(), quote.suffix.encode()
    whole = prefix + exact + suffix
    found = text.find(whole)
    if found < 0:
        raise _NotThereError("quote_not_found")
    if text.find(whole, found + 1) >= 0:
        for place in _refinements(text, wanted):
            # Only occurrences inside the named place count; unless that leaves one, nothing is chosen.
            end = place.end + len(suffix)
            found = text.find(whole, max(0, place.start - len(prefix)), end)
            if found >= 0 and text.find(whole, found + 1, end) < 0:
                break
        else:
            raise _NotThereError("quote_ambiguous")
    start = found + len(prefix)
    return Span(start, start + len(exact))


def _refinements(text: bytes, wanted: Locator) -> Iterator[Span]:
    """The places that may tell equal quotes apart; those that are out of range do not."""
    with suppress(_NotThereError):
        if wanted.text_position is not None:
            yield _by_position(text, wanted.text_position)
    with suppress(_NotThereError):
        if wanted.line_range is not None:
            yield _whole_lines(text, wanted.line_range)


def _by_position(text: bytes, position: TextPosition) -> Span:
    span = Span(position.start, position.end)
    if position.unit == "code_points":
        characters = text.decode()
        if position.end > len(characters):
            raise _NotThereError("position_out_of_range")
        start = len(characters[: position.start].encode())
        span = Span(start, start + len(characters[position.start : position.end].encode()))
    if span.end > len(text) or not (is_boundary(text, span.start) and is_boundary(text, span.end)):
        raise _NotThereError("position_out_of_range")
    return span


def _by_lines(text: bytes, lines: LineRange) -> Span:
    """Lines without the end of the last one."""
    whole = _whole_lines(text, lines)
    return Span(whole.start, whole.start + len(_LAST_LINE_END.sub(b"", text[whole.start : whole.end])))


def _whole_lines(text: bytes, lines: LineRange) -> Span:
    """Lines with their ends."""
    start, last = _line_start(text, lines.start), _line_start(text, lines.end)
    if start is None or last is None:
        raise _NotThereError("position_out_of_range")
    return Span(start, _line_start(text, lines.end + 1) or len(text))


def _line_start(text: bytes, number: int) -> int | None:
    """Where line `number` starts; None if there is no such line. An empty rest after the last end is none."""
    ends = text.replace(b"\r\n", b"\0\n").replace(b"\r", b"\n")  # as long as before, and LF ends every line
    start, lines_before = 0, number - 1
    while start < len(ends) and (passed := ends.count(b"\n", start, start + _BLOCK_BYTES)) < lines_before:
        start, lines_before = start + _BLOCK_BYTES, lines_before - passed
    for _ in range(lines_before if start < len(ends) else 0):
        start = ends.index(b"\n", start) + 1
    return start if start < len(text) else None


def _by_heading(text: bytes, heading: str) -> Span:
    """The section of a Markdown heading: from its line up to the next heading of its level or a higher
    one."""
    if text.count(b"\n") + text.count(b"\r") > limits.HEADING_DOCUMENT_LINES_MAX:
        raise _NotThereError("too_large")
    headings = list(_headings(text.decode()))
    found = [index for index, candidate in enumerate(headings) if candidate.text == heading.strip()]
    if len(found) != 1:
        raise _NotThereError("heading_ambiguous" if found else "heading_not_found")
    first = headings[found[0]]
    last = next((other.line for other in headings[found[0] + 1 :] if other.level <= first.level), None)
    whole = _whole_lines(text, LineRange(start=first.line + 1, end=last or first.line + 1))
    return whole if last else Span(whole.start, len(text))


class _Heading(NamedTuple):
    text: str
    level: int
    line: int


def _headings(text: str) -> Iterator[_Heading]:
    blocks = MarkdownIt("commonmark").enable("table")
    blocks.core.ruler.enableOnly(["normalize", "block"])  # what is inside a line does not matter here
    for opening, inline in pairwise(blocks.parse(text)):
        if opening.type == "heading_open" and opening.map is not None:
            yield _Heading(inline.content.strip(), int(opening.tag[1:]), opening.map[0])


def is_boundary(text: bytes, position: int) -> bool:
    """Whether a byte position lies between two characters (or at an end of the text)."""
    return position == len(text) or (position < len(text) and text[position] not in _WITHIN_CHARACTER)
