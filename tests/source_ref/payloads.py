"""Sixty source_ref payloads: twenty that are stored, forty that are refused (spec 05, 11 §3.2).

A good payload is kept whole. A bad one names the JSON path and words of the reason. `beyond_schema` marks the
limits that JSON Schema cannot state (bytes, exact doubles, Unicode), where only the validator refuses.
"""

from dataclasses import dataclass
from typing import Any

from graphsvc.domain.source_ref_schema import EXAMPLE


def envelope(**parts: Any) -> dict[str, Any]:
    """The smallest source_ref, with parts added or replaced; a part that is None is left out."""
    whole = {"schema": "source_ref/v1", "resolver": "fs", "ref": {"root": "notes", "path": "a.md"}, **parts}
    return {key: part for key, part in whole.items() if part is not None}


def nested(levels: int) -> Any:
    """A scalar inside that many objects and arrays."""
    value: Any = 1
    for level in range(levels):
        value = {"in": value} if level % 2 else [value]
    return value


def filled(bytes_total: int) -> dict[str, Any]:
    """A payload of exactly so many canonical bytes."""
    empty = len('{"ref":{"t":""},"resolver":"fs","schema":"source_ref/v1"}')
    return envelope(ref={"t": "x" * (bytes_total - empty)})


@dataclass(frozen=True)
class Bad:
    """A refused payload: where the first problem is, and what its reason says."""

    value: Any
    path: str
    reason: str
    beyond_schema: bool = False


GOOD: dict[str, dict[str, Any]] = {
    "smallest": envelope(),
    "example of the guide": EXAMPLE,
    "empty ref": envelope(ref={}),
    "unknown resolver is opaque": envelope(resolver="lighthouse_log", ref={"entry": 17}),
    "unknown keys inside the objects": envelope(
        state={"tide": "low"}, hints={"access": {"ask": "the archive"}}
    ),
    "extension at the top": envelope(x_team={"colour": "green", "ids": [1, 2, 3]}),
    "later minor version": envelope(schema="source_ref/v1.3"),
    "later minor version with its own key": envelope(schema="source_ref/v1.12", audience={"who": "all"}),
    "every scalar": envelope(ref={"a": None, "b": True, "c": False, "d": 0, "e": -1.5, "f": 1e-7, "g": ""}),
    "largest exact whole numbers": envelope(ref={"hi": 2**53 - 1, "lo": -(2**53 - 1)}),
    "numbers of any finite size": envelope(ref={"a": 1e300, "b": 5e-324, "c": 1e20, "d": -0.0}),
    "other scripts and emoji": envelope(hints={"title": "交付先の一覧 — поставщики 🏭", "مفتاح": "قيمة"}),
    "combining marks stay as they are": envelope(hints={"nfc": "é", "nfd": "é"}),
    "quote over several lines": envelope(
        locator={"quote": {"exact": "first\nsecond\tcell\r\n", "prefix": "\n", "suffix": "\t"}}
    ),
    "quote at its limits": envelope(
        locator={"quote": {"exact": "é" * 1024, "prefix": "p" * 256, "suffix": "s" * 256}}
    ),
    "hash that is none is opaque": envelope(hashes={"content_sha256": "not a hash", "md5": 5}),
    "locator parts of other types are opaque": envelope(locator={"quote": ["exact"], "line_range": "7-9"}),
    "deepest": envelope(ref={"in": nested(4)}),
    "sixty-four keys": envelope(ref={f"k{n}": n for n in range(64)}),
    "as large as allowed": filled(8192),
}

BAD: dict[str, Bad] = {
    # no object at all
    "null": Bad(None, "$", "must be an object"),
    "text": Bad("source_ref/v1", "$", "must be an object"),
    "array": Bad([envelope()], "$", "must be an object"),
    "number": Bad(1, "$", "must be an object"),
    # schema
    "no schema": Bad(envelope(schema=None), "$.schema", "is required"),
    "schema is a number": Bad(envelope(schema=1), "$.schema", "source_ref/v1"),
    "next major version": Bad(envelope(schema="source_ref/v2"), "$.schema", "source_ref/v1"),
    "next major with a minor": Bad(envelope(schema="source_ref/v2.1"), "$.schema", "source_ref/v1"),
    "version in capitals": Bad(envelope(schema="source_ref/V1"), "$.schema", "source_ref/v1"),
    "version with a line break": Bad(envelope(schema="source_ref/v1\n"), "$.schema", "source_ref/v1"),
    "minor that is no number": Bad(envelope(schema="source_ref/v1.x"), "$.schema", "source_ref/v1"),
    "minor with a leading zero": Bad(envelope(schema="source_ref/v1.07"), "$.schema", "source_ref/v1"),
    "two minors": Bad(envelope(schema="source_ref/v1.2.3"), "$.schema", "source_ref/v1"),
    "digits of another script": Bad(envelope(schema="source_ref/v1.٣"), "$.schema", "source_ref/v1"),
    # resolver and ref
    "no resolver": Bad(envelope(resolver=None), "$.resolver", "is required"),
    "empty resolver": Bad(envelope(resolver=""), "$.resolver", "not empty"),
    "resolver is an object": Bad(envelope(resolver={"name": "fs"}), "$.resolver", "string"),
    "no ref": Bad(envelope(ref=None), "$.ref", "is required"),
    "ref is a text": Bad(envelope(ref="docs/a.md"), "$.ref", "must be an object"),
    "ref is an array": Bad(envelope(ref=["docs/a.md"]), "$.ref", "must be an object"),
    # the optional objects
    "state is a text": Bad(envelope(state="9f2c"), "$.state", "must be an object"),
    "locator is an array": Bad(envelope(locator=[{"heading": "A"}]), "$.locator", "must be an object"),
    "hashes is a text": Bad(envelope(hashes="9f2c"), "$.hashes", "must be an object"),
    "hints is a number": Bad(envelope(hints=3), "$.hints", "must be an object"),
    "state is null": Bad({**envelope(), "state": None}, "$.state", "must be an object"),
    "unknown key at the top": Bad(envelope(audience="all"), "$.audience", "unknown key"),
    "extension without its underscore": Bad(envelope(xteam=1), "$.xteam", "unknown key"),
    # limits
    "one byte too many": Bad(filled(8193), "$", "8193 bytes", beyond_schema=True),
    "bytes counted as UTF-8": Bad(envelope(ref={"t": "é" * 4096}), "$", "bytes", beyond_schema=True),
    "far too many values": Bad(envelope(ref={"t": [0] * 9000}), "$", "too large", beyond_schema=True),
    "one level too deep": Bad(envelope(ref={"in": nested(5)}), "$.ref.in[0].in[0].in", "6 levels"),
    "a hundred levels": Bad(envelope(ref={"in": nested(100)}), "$.ref.in.in[0].in[0]", "6 levels"),
    "too many keys": Bad(envelope(ref={f"k{n}": n for n in range(65)}), "$.ref", "65 keys"),
    "quote too long": Bad(
        envelope(locator={"quote": {"exact": "x" * 2049}}), "$.locator.quote.exact", "limit is 2048"
    ),
    "quote too long in bytes": Bad(
        envelope(locator={"quote": {"exact": "é" * 1025}}),
        "$.locator.quote.exact",
        "2050 bytes",
        beyond_schema=True,
    ),
    "prefix too long": Bad(
        envelope(locator={"quote": {"exact": "x", "prefix": "x" * 257}}),
        "$.locator.quote.prefix",
        "limit is 256",
    ),
    "control character": Bad(envelope(ref={"path": "a\x00b"}), "$.ref.path", "U+0000"),
    "control character in a key": Bad(envelope(hints={"a\x85": 1}), '$.hints["a\\u0085"]', "U+0085"),
    "line break outside a quote": Bad(envelope(hints={"title": "a\nb"}), "$.hints.title", "U+000A"),
    "number that no double holds": Bad(
        envelope(ref={"n": 2**53 + 1}), "$.ref.n", "would change", beyond_schema=True
    ),
}
