"""Entity pointers: which windows of a query name something that is there (spec 04). No model, no fuzziness."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import regex

from graphsvc import limits
from graphsvc.domain.framing import POINTERS_NOTICE, json_text
from graphsvc.domain.names import collapse, pointer_key

_DENSE_CLASS: Final = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
    r"&&[\p{L}\p{Nl}]]"
)
_TOKEN: Final = regex.compile(
    rf"(?P<possessive>(?<=[\p{{L}}\p{{N}}\p{{M}}])['’][sS](?![\p{{L}}\p{{N}}\p{{M}}]))"
    rf"|{_DENSE_CLASS}\p{{M}}*"
    rf"|(?:[[\p{{L}}\p{{N}}\p{{M}}+#]--{_DENSE_CLASS}])+",
    regex.VERSION1,
)
_CLUSTER: Final = regex.compile(r"\X")
_EXACT_ONLY_CHARS_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    key: str
    glued: bool
    """Stands directly behind the token before it: no space between their keys."""


@dataclass(frozen=True, slots=True)
class Window:
    """A run of whole tokens of the query: code points [start, end), its normalized key, its text as written."""

    start: int
    end: int
    tokens: int
    key: str
    verbatim: str


def _tokens(query: str) -> list[_Token]:
    folded, starts, ends = query, None, None
    if not unicodedata.is_normalized("NFKC", query):
        pieces: list[str] = []
        starts, ends = [], []
        for cluster in _CLUSTER.finditer(query):
            piece = unicodedata.normalize("NFKC", cluster.group())
            pieces.append(piece)
            starts += [cluster.start()] * len(piece)
            ends += [cluster.end()] * len(piece)
        folded = "".join(pieces)
    tokens: list[_Token] = []
    behind = -1
    for match in _TOKEN.finditer(folded):
        if match.group("possessive"):
            continue
        key = pointer_key(match.group())
        if not key:
            continue
        start, end = match.span()
        glued = start == behind
        behind = end
        if starts is not None and ends is not None:
            start, end = starts[start], ends[end - 1]
        tokens.append(_Token(start, end, key, glued))
    return tokens


def windows_of(query: str, tokens_max: int = limits.POINTER_TOKENS_MAX) -> tuple[list[Window], int]:
    """All candidate windows, longest first then left to right, and how many tokens were ignored."""
    tokens = _tokens(query)
    ignored = max(0, len(tokens) - tokens_max)
    tokens = tokens[:tokens_max]
    found: list[Window] = []
    for first in range(len(tokens)):
        key = ""
        for last in range(first, min(first + limits.POINTER_WINDOW_TOKENS_MAX, len(tokens))):
            token = tokens[last]
            key = token.key if last == first else key + ("" if token.glued else " ") + token.key
            start, end = tokens[first].start, token.end
            found.append(Window(start, end, last - first + 1, key, collapse(query[start:end])))
    found.sort(key=lambda window: (-window.tokens, window.start))
    return found, ignored


@dataclass(frozen=True, slots=True)
class PointerBlock:
    """The block as it is sent and what the accounting says of it. `used` is in bytes of the block's JSON."""

    items: list[dict[str, Any]]
    resolved: int
    ambiguous: int
    omitted: int
    ignored_tokens: int

    def block(self) -> dict[str, Any]:
        """The block with its own notice."""
        return {"notice": POINTERS_NOTICE, "items": self.items}

    def accounting(self) -> dict[str, Any]:
        """What became of the windows that named something."""
        found: dict[str, Any] = {
            "requested": True,
            "resolved": self.resolved,
            "ambiguous": self.ambiguous,
            "omitted": self.omitted,
            "used": len(json_text(self.block()).encode()),
        }
        if self.ignored_tokens:
            found["ignored_tokens"] = self.ignored_tokens
        return found


def select_pointers(
    windows: Sequence[Window], owners: Iterable[dict[str, Any]], ignored_tokens: int = 0
) -> PointerBlock:
    """Choose the pointers: longest window first, a name before an alias, exact before normalized, no overlaps.

    `owners` are the rows of `pointer/resolve_pointers`: key, id, kind, scope, primary, texts, counts, last_seen_at.
    """
    by_key: dict[str, list[dict[str, Any]]] = {}
    for owner in owners:
        by_key.setdefault(owner["key"], []).append(owner)
    taken: list[tuple[int, int]] = []
    chosen: dict[str, dict[str, Any]] = {}
    ambiguous = 0
    for window in windows:
        found = by_key.get(window.key)
        if not found or any(window.start < end and start < window.end for start, end in taken):
            continue
        exact_only = window.tokens == 1 and len(window.key) <= _EXACT_ONLY_CHARS_MAX
        matched, is_exact = _best(window, found, exact_only=exact_only)
        if not matched:
            continue
        taken.append((window.start, window.end))
        if len(matched) > 1:
            ambiguous += 1
            continue
        owner = matched[0]
        chosen.setdefault(
            owner["id"],
            {
                "entity_id": owner["id"],
                "kind": owner["kind"],
                "scope": owner["scope"],
                "match": "exact" if is_exact else "normalized",
                "span": [window.start, window.end],
                "observations": owner["observations"],
                "relations": owner["relations"],
                "tasks": owner["tasks"],
                "last_seen_at": owner["last_seen_at"],
            },
        )
    items = sorted(list(chosen.values())[: limits.POINTERS_MAX], key=lambda item: item["span"])
    return PointerBlock(items, len(chosen), ambiguous, len(chosen) - len(items), ignored_tokens)


def _best(
    window: Window, owners: Sequence[dict[str, Any]], *, exact_only: bool
) -> tuple[list[dict[str, Any]], bool]:
    for primary in (True, False):
        ranked = [owner for owner in owners if owner["primary"] is primary]
        exact = [
            owner for owner in ranked if any(collapse(text) == window.verbatim for text in owner["texts"])
        ]
        if exact:
            return exact, True
        if ranked and not exact_only:
            return ranked, False
    return [], False


def fit_pointers(block: PointerBlock, bytes_max: int) -> PointerBlock:
    """The block cut to whole pointers within so many bytes; what is cut is counted as omitted."""
    items = list(block.items)
    while items:
        fitted = PointerBlock(
            items, block.resolved, block.ambiguous, block.resolved - len(items), block.ignored_tokens
        )
        if len(json_text(fitted.block()).encode()) <= bytes_max:
            return fitted
        items.pop()
    return PointerBlock([], block.resolved, block.ambiguous, block.resolved, block.ignored_tokens)
