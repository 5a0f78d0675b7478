"""A bounded, verified excerpt of a document (spec 05): the answer to `get_excerpt`.

Never more than the level's bytes, cut between characters, with the selected place in the middle. `verified`
is true only if something was there to check, all of it was checked, and all of it held.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from graphsvc import limits
from graphsvc.domain.source_ref import SourceRef
from graphsvc.resolvers.base import Address, DocumentProblem, ProblemCode, ResolvedDocument, Tier
from graphsvc.resolvers.locator import Selection, Selector, Span, is_boundary, parse_locator, select
from graphsvc.resolvers.registry import Registry
from graphsvc.scope import Scope

Level = Literal["L0", "L1", "L2"]
LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2")
LEVEL_BYTES_MAX: Final[Mapping[Level, int]] = {
    "L0": limits.EXCERPT_L0_BYTES_MAX,
    "L1": limits.EXCERPT_L1_BYTES_MAX,
    "L2": limits.EXCERPT_L2_BYTES_MAX,
}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What `get_excerpt` answers. Spans count UTF-8 bytes of the whole document.

    `span` is the place that the locator selects, `excerpt_span` what is shown of the document around it.
    Without a document to show (`problems` says why) these, the excerpt, the selector and the hashes are
    None.
    """

    tier: Tier | None
    verified: bool
    problems: tuple[ProblemCode, ...]
    excerpt: str | None = None
    selector: Selector | None = None
    span: Span | None = None
    excerpt_span: Span | None = None
    content_sha256: str | None = None
    excerpt_sha256: str | None = None

    def narrowed(self, level: Level) -> "Excerpt":
        """The same at a lower level: what `cut` answers there."""
        if self.excerpt is None or self.excerpt_span is None or self.span is None:
            return self
        text, offset = self.excerpt.encode(), self.excerpt_span.start
        match = Span(0, 0)
        if self.selector != "start":
            match = Span(self.span.start - offset, self.span.end - offset)
        within = window(text, match, LEVEL_BYTES_MAX[level])
        shown = Span(within.start + offset, within.end + offset)
        return replace(
            self,
            excerpt=text[within.start : within.end].decode(),
            span=shown if self.selector == "start" else self.span,
            excerpt_span=shown,
            excerpt_sha256=_sha256(text[within.start : within.end]),
        )

    def dropped(self) -> "Excerpt":
        """The same with nothing shown."""
        return replace(self, excerpt=None, excerpt_span=None, excerpt_sha256=None)

    def as_answer(self) -> dict[str, Any]:
        """The fields of the answer, in order, as plain JSON types."""
        spans = {"span": self.span, "excerpt_span": self.excerpt_span}
        return {
            "excerpt": self.excerpt,
            **{name: span and {**span._asdict(), "unit": "utf8_bytes"} for name, span in spans.items()},
            "selector": self.selector,
            "tier": self.tier,
            "verified": self.verified,
            "problems": list(self.problems),
            "content_sha256": self.content_sha256,
            "excerpt_sha256": self.excerpt_sha256,
        }


async def get_excerpt(registry: Registry, source_ref: SourceRef, level: Level, scope: Scope) -> Excerpt:
    """Read the document and cut the excerpt. Raises what `base` lists for resolvers, but no
    DocumentProblem."""
    value = source_ref.value
    locator: Mapping[str, Any] = value.get("locator", {})
    parse_locator(locator)  # before anything is read
    try:
        resolver = registry.get(value["resolver"])
    except DocumentProblem as problem:
        return Excerpt(tier=None, verified=False, problems=(problem.code,))
    try:
        document = await registry.resolve(resolver, Address(value["ref"], value.get("state", {})), scope)
        return await asyncio.to_thread(cut, document, value, level, resolver.tier)
    except DocumentProblem as problem:
        return Excerpt(tier=resolver.tier, verified=False, problems=(problem.code,))


def cut(document: ResolvedDocument, value: Mapping[str, Any], level: Level, tier: Tier) -> Excerpt:
    """The excerpt of a document for the source_ref `value`. Pure. Raises DocumentProblem, InvalidRequest."""
    text = document.content
    if len(text) > limits.DOCUMENT_BYTES_MAX:
        raise DocumentProblem("too_large")
    if not is_text(text):
        raise DocumentProblem("binary")
    selection = select(text, value.get("locator", {}))
    shown = window(text, selection.span or Span(0, 0), LEVEL_BYTES_MAX[level])
    problems = [*selection.problems, *_hash_problems(document, value, selection)]
    return Excerpt(
        tier=tier,
        verified=not problems and _all_checked(document, value),
        problems=tuple(problems),
        excerpt=text[shown.start : shown.end].decode(),
        selector=selection.selector,
        span=selection.span or shown,
        excerpt_span=shown,
        content_sha256=_sha256(text),
        excerpt_sha256=_sha256(text[shown.start : shown.end]),
    )


def is_text(content: bytes) -> bool:
    """Whether bytes are text that can be shown: UTF-8, and without the NUL that marks binary files."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def window(text: bytes, match: Span, bytes_max: int) -> Span:
    """At most `bytes_max` bytes around `match`, cut between characters; of a longer match its beginning."""
    spare = bytes_max - (match.end - match.start)
    start = match.start if spare <= 0 else min(match.start - spare // 2, len(text) - bytes_max)
    start = max(0, start)
    end = min(len(text), start + bytes_max)
    while not is_boundary(text, start):
        start += 1
    while not is_boundary(text, end):
        end -= 1
    return Span(start, end)


def _hash_problems(
    document: ResolvedDocument, value: Mapping[str, Any], selection: Selection
) -> list[ProblemCode]:
    text = document.content
    problems: list[ProblemCode] = []
    parts = (value.get("hashes", {}), value.get("state", {}))
    if not all(_is_hash_of(part["content_sha256"], text) for part in parts if "content_sha256" in part):
        problems.append("content_hash_mismatch")
    if "excerpt_sha256" in value.get("hashes", {}):
        match = selection.span or Span(0, 0)
        windows = (window(text, match, bytes_max) for bytes_max in LEVEL_BYTES_MAX.values())
        # The hash of the selected place itself, or of any excerpt that was answered for it.
        candidates = [match, *windows] if selection.span else list(windows)
        excerpt_sha256 = value["hashes"]["excerpt_sha256"]
        if not any(_is_hash_of(excerpt_sha256, text[span.start : span.end]) for span in candidates):
            problems.append("excerpt_hash_mismatch")
    return problems


def _all_checked(document: ResolvedDocument, value: Mapping[str, Any]) -> bool:
    """Whether there is a hash or a state, and none of them was left unchecked."""
    hashes, state = set(value.get("hashes", {})), set(value.get("state", {}))
    unchecked = (hashes - {"content_sha256", "excerpt_sha256"}) | (
        state - {"content_sha256"} - document.state_held
    )
    return bool(hashes or state) and not unchecked


def _is_hash_of(given: object, content: bytes) -> bool:
    return isinstance(given, str) and given.lower() == _sha256(content)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
