"""Cutting a foreign text that is longer than one observation may be."""

from typing import Final

import regex

from graphsvc import limits

_SENTENCE_END: Final = regex.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*", regex.VERSION1)


def split_text(text: str, chars_max: int = limits.OBSERVATION_CHARS_MAX) -> list[str]:
    """The text as pieces of 1 to `chars_max` characters, in order; a blank text is no piece.

    A text that fits stays as it is; from a longer one, only white space at its ends and between pieces is
    lost. Cuts after a sentence where one ends in the second half of the room, else at white space, else
    between two characters as a reader sees them (never inside one that fits).
    """
    if len(text) <= chars_max and not text.isspace():
        return [text] if text else []
    rest = text.strip()
    pieces = []
    start = 0
    while len(rest) - start > chars_max:
        end = start + _cut(rest[start : start + chars_max + 1])
        pieces.append(rest[start:end].rstrip())
        start = end
        while rest[start].isspace():  # ends: the last character is not white space
            start += 1
    return [*pieces, rest[start:]] if rest else []


def _cut(window: str) -> int:
    """Where to cut a window that is one character too long: at least 1, at most its length less one."""
    room = len(window) - 1
    for match in reversed(list(_SENTENCE_END.finditer(window, room // 2))):
        if room // 2 < match.end() <= room:
            return int(match.end())
    for position in range(room, room // 2, -1):
        if window[position].isspace():
            return position
    return max(match.start() for match in regex.finditer(r"\X", window)) or room
