"""Titles by half-remembered phrases: pieces of words to find candidates by, and how well each answers (spec 03). Pure.

The full-text index finds candidates by pieces: runs of three characters of each word, its beginning and end marked. A
misspelt word, or the beginning of one, still shares most of its pieces. How near a candidate is, is measured here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Final

from rapidfuzz.distance import OSA

from graphsvc.domain.names import pointer_key
from graphsvc.domain.words import Kind, Term, analyse

PIECE_MARK: Final = "‖"
"""First character of pieces among the terms of a name or title; no word has it."""
_EDGE: Final = "·"
_PIECE_CHARS: Final = 3
_PIECES_PER_WORD_MAX: Final = 24
_PIECES_PER_TITLE_MAX: Final = 512
_NEAR: Final = 0.6
"""Two words less alike than this are different words."""
_PREFIX_CHARS_MIN: Final = 2
_SCORE_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a phrase or a title: without its diacritics, and its stem where it has one."""

    text: str
    stem: str


def words_of(text: str) -> list[Word]:
    """The words of a text, in order. In scripts written without spaces, each pair of characters is one."""
    concepts: dict[int, list[Term]] = {}
    for term in analyse(text):
        if term.kind in {Kind.WORD, Kind.FOLDED, Kind.STEM, Kind.CJK}:
            concepts.setdefault(term.concept, []).append(term)
    return [
        Word(
            next((f.text for f in forms if f.kind is Kind.FOLDED), forms[0].text),
            next((f.text for f in forms if f.kind is Kind.STEM), forms[0].text),
        )
        for forms in concepts.values()
    ]


def pieces_of(word: str) -> list[str]:
    """The pieces of one word, at most so many."""
    edged = f"{_EDGE}{word}{_EDGE}"
    count = min(max(1, len(edged) - _PIECE_CHARS + 1), _PIECES_PER_WORD_MAX)
    return list(dict.fromkeys(PIECE_MARK + edged[i : i + _PIECE_CHARS] for i in range(count)))


def title_terms(title: str) -> list[str]:
    """What is stored with a name or title beside its words: the pieces of all of them."""
    pieces: dict[str, None] = {}
    for word in words_of(title):
        pieces |= dict.fromkeys(pieces_of(word.text))
    return list(pieces)[:_PIECES_PER_TITLE_MAX]


def phrase_pieces(phrase: str, limit: int) -> dict[str, float]:
    """At most `limit` pieces to ask for, each with its weight: a word counts for its length, shared by its pieces.

    What is over the limit goes by whole words, the shortest first.
    """
    distinct = {word.text: pieces_of(word.text) for word in words_of(phrase)}
    kept: dict[str, float] = {}
    for text, pieces in sorted(distinct.items(), key=lambda item: (-len(item[0]), item[0])):
        if len(kept) + len(pieces) > limit:
            continue
        weight = min(len(text), 12) ** 0.5 / len(pieces)
        for piece in pieces:
            kept[piece] = kept.get(piece, 0.0) + weight
    return kept


def without_pieces(terms: str) -> str:
    """The terms of a name or title that are words."""
    return " ".join(term for term in terms.split() if not term.startswith(PIECE_MARK))


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How well a title answers a phrase, 0 to 1, and why."""

    score: float
    why: tuple[str, ...]


class Phrase:
    """A phrase to be compared with the titles of one pool; words that many of them have tell less."""

    def __init__(self, phrase: str, titles: Sequence[str]) -> None:
        self.key = pointer_key(phrase)
        self.words = words_of(phrase)
        self.joined = "".join(word.text for word in self.words)
        self._titles = {title: words_of(title) for title in titles}
        self._often = Counter(text for words in self._titles.values() for text in {w.text for w in words})
        self._known: dict[tuple[str, str], tuple[float, str]] = {}

    def match(self, title: str) -> TitleMatch:
        """Compare with one of the titles."""
        key = pointer_key(title)
        if key == self.key and key:
            return TitleMatch(1.0, ("exact",))
        words = self._titles[title]
        pairs = self._pairs(words)
        found = {i: (j, alike, why) for alike, i, j, why in pairs}
        asked = sum(self._weight(word.text) for word in self.words) or 1.0
        held = sum(self._weight(word.text) for word in words) or 1.0
        recall = sum(alike * self._weight(self.words[i].text) for i, (_, alike, _) in found.items()) / asked
        share = sum(alike * self._weight(words[j].text) for j, alike, _ in found.values()) / held
        places = [found[i][0] for i in sorted(found)]
        order = 1 - sum(a > b for a, b in pairwise(places)) / max(1, len(places) - 1)
        whole = OSA.normalized_similarity(self.joined, "".join(word.text for word in words))
        score = 0.5 * recall + 0.2 * share + 0.2 * whole + 0.05 * order
        return TitleMatch(round(min(score, 0.99), _SCORE_DIGITS), self._why(found, places, len(words)))

    def _why(
        self, found: Mapping[int, tuple[int, float, str]], places: Sequence[int], title_words: int
    ) -> tuple[str, ...]:
        told = dict.fromkeys(found[i][2] for i in sorted(found))
        if any(a > b for a, b in pairwise(places)):
            told["reordered"] = None
        if len(found) < len(self.words):
            told["extra words"] = None
        if len(found) < title_words:
            told["missing words"] = None
        return tuple(told)

    def _pairs(self, words: Sequence[Word]) -> list[tuple[float, int, int, str]]:
        """Which word of the phrase is which of the title: the most alike first, each once."""
        every = [
            (alike, i, j, why)
            for i, mine in enumerate(self.words)
            for j, theirs in enumerate(words)
            for alike, why in [self._alike(mine, theirs)]
            if alike >= _NEAR
        ]
        every.sort(key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1], pair[2]))
        taken: list[tuple[float, int, int, str]] = []
        mine_taken: set[int] = set()
        theirs_taken: set[int] = set()
        for alike, i, j, why in every:
            if i not in mine_taken and j not in theirs_taken:
                taken.append((alike, i, j, why))
                mine_taken.add(i)
                theirs_taken.add(j)
        return taken

    def _alike(self, mine: Word, theirs: Word) -> tuple[float, str]:
        known = self._known.get((mine.text, theirs.text))
        if known is None:
            known = self._known[mine.text, theirs.text] = _alike(mine, theirs)
        return known

    def _weight(self, word: str) -> float:
        """What a word tells: rare ones among the titles at hand more, one or two letters less."""
        rare = log(1 + (len(self._titles) + 1) / (self._often.get(word, 0) + 1))
        return rare * (0.5 if len(word) < _PIECE_CHARS else 1.0)


def _alike(mine: Word, theirs: Word) -> tuple[float, str]:
    """How alike two words are, 0 to 1, and in which way."""
    if mine.text == theirs.text:
        return 1.0, "word"
    if mine.stem == theirs.stem:
        return 0.95, "stem"
    is_prefix = len(mine.text) >= _PREFIX_CHARS_MIN and theirs.text.startswith(mine.text)
    prefix = 0.7 + 0.25 * len(mine.text) / len(theirs.text) if is_prefix else 0.0
    typo = OSA.normalized_similarity(mine.text, theirs.text, score_cutoff=_NEAR)
    return (prefix, "prefix") if prefix >= typo else (typo, "typo")
