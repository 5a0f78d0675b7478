"""Text to terms, the same at write and at query time, for any language (spec 03, 13, 14).

The full-text index stores what `index_terms` gives, joined by spaces, and does no analysis of its own; a
query asks for the terms of `query_terms`, one constant-score clause each. So everything that decides which
words meet is here:

* Text is NFKC without invisible characters; a word is a run of letters, digits and marks, case-folded.
  Composed and decomposed, wide and narrow, upper and lower case are one.
* Hyphens, slashes, dots and underscores separate: `tier1-test` and `tier1 test` give the same words. The
  pieces written together (`tier1test`) are one more term, so that `e-mail` meets `email`; never where two
  digits would touch.
* Inner changes of case or between letters and digits give parts: `GraphStore` also `graph` and `store`;
  `pep8` also `pep` and `8`.
* `3.14`, `10:30` and `1,000` (= `1000`) are one word each. Digits are never merged. `C++` and `C#` keep
  their signs.
* Possessive `'s` and clitics (`'ll`, `'re` …) are dropped, `don't` is `dont`, `O'Brien` is `o`, `brien`,
  `obrien`.
* Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar, Tibetan), and Hangul with its
  particles, give pairs of neighbouring characters, and single ones, so that a query of one character finds
  something.
* A letter with diacritics is kept and also given without: `café` meets `cafe`, and meets `café` better.
* English stems stand in a namespace of their own (`~`), beside the word: a signal, never a filter. Irregular
  forms have the stem of their base form (`went`: `~go`).
* Symbols such as emoji are words; punctuation is nothing. No term has white space or more than 255 UTF-16
  units, which is where Lucene's whitespace tokenizer would cut it.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from math import log2
from threading import Lock
from typing import Final

import regex
import snowballstemmer

from graphsvc.domain.function_words import FUNCTION_WORDS
from graphsvc.domain.irregular_forms import BASE_FORMS

TERM_UTF16_UNITS_MAX: Final = 255
STEM_MARK: Final = "~"
"""First character of stem terms; no word has it."""
_JOINED_PIECES_MAX: Final = 4
_REMEMBERED_CHUNKS: Final = 16_384
_REMEMBERED_CHUNK_CHARS_MAX: Final = 32

_DENSE: Final = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
    r"&&[\p{L}\p{Nl}]]"
)
_LETTER: Final = rf"[[\p{{L}}\p{{N}}]--{_DENSE}]"
_TOKEN: Final = regex.compile(
    rf"""
      (?P<dense> (?: {_DENSE} \p{{M}}* )+ )
    | (?P<word>
        {_LETTER} (?: {_LETTER} | \p{{M}} | (?<=\p{{Nd}}) [.,:] (?=\p{{Nd}}) )*
        (?: \+\+ (?!\w) | \# (?!\w) | (?<=[nN]) ['’] [tT] (?!\w) )?
      )
      (?: ['’] (?i: s | ll | re | ve | d | m ) (?!\w) )?
    | (?P<symbol> \p{{Regional_Indicator}}{{2}} | \p{{So}} )
    """,
    regex.VERBOSE | regex.VERSION1,
)
_CHUNK: Final = regex.compile(r"\S+")
_CLUSTER: Final = regex.compile(r"\X")
_CHARACTER: Final = regex.compile(r"\P{M}\p{M}*")
_INVISIBLE: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
_PART: Final = regex.compile(
    r"(?: \p{Lu} \p{M}*+ )+ (?!\p{Ll}) | \p{Lu}? [[\p{L}\p{M}]--\p{Lu}]+ | \p{N}[\p{N}\p{M}.,:]*",
    regex.VERBOSE | regex.VERSION1,
)
_SIGNED_NAME: Final = regex.compile(r"\p{L}{1,2}(?:\+\+|#)")
_THOUSANDS: Final = regex.compile(r"\d{1,3}(?:,\d{3})+")
_OPTIONAL_MARKS: Final = regex.compile(
    r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}]\p{Mn}*)\p{Mn}", regex.VERSION1
)
_CONNECTORS: Final = frozenset("-‐‑_./'’@&+")
_STEMMER: Final = snowballstemmer.stemmer("english")
_STEMMER_LOCK: Final = Lock()
"""The stemmer keeps its word in itself, and threads (bulk loads) may share it."""


class Kind(StrEnum):
    """What a term is to the text that it was taken from."""

    WORD = "word"
    FOLDED = "folded"
    """A word without its diacritics."""
    STEM = "stem"
    PART = "part"
    """A piece of a word with inner changes of case, or between letters and digits."""
    JOINED = "joined"
    """The pieces of a hyphenated or dotted word, written together."""
    CJK = "cjk"
    """Two neighbouring characters of a script written without spaces (or one that stands alone)."""
    CHARACTER = "character"
    """One character of a longer run of such a script: stored, never asked for."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a text, at the code points [start, end). Terms of one `concept` are forms of one word."""

    text: str
    kind: Kind
    concept: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term to ask the index for; `span` is its first place in the query, [start, end) in code points.

    `prior` (0–1) is its share in the information of its concept before anything is known about frequencies.
    The terms of one concept share at most 1, so that their weights may be added.
    """

    term: str
    kind: Kind
    concept: int
    span: tuple[int, int]
    prior: float


_PRIOR: Final = {Kind.WORD: 1.0, Kind.CJK: 0.6, Kind.JOINED: 0.3, Kind.PART: 0.2}
"""Of a concept, by the kind of its first form. Pairs of characters overlap, so each is less than a word."""
_VARIANTS_SHARE: Final = 0.75
"""What a word cedes to its other forms (stem, without diacritics) together; the exact form adds the rest."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of one sort in a chunk; `linked` when one connector stands between it and the word before."""

    text: str
    start: int
    end: int
    dense: bool
    linked: bool


@dataclass(frozen=True, slots=True)
class _Form:
    """A term before its place in the text is known: [start, end) are offsets in its chunk."""

    text: str
    kind: Kind
    start: int
    end: int


_Concept = tuple[_Form, ...]


def analyse(text: str) -> list[Term]:
    """All terms of the text, in its order, repeats included."""
    folded, starts, ends = _fold(text)
    terms: list[Term] = []
    concept = 0
    for chunk in _CHUNK.finditer(folded):
        base = chunk.start()
        for forms in _concepts(chunk.group()):
            for form in forms:
                start, end = base + form.start, base + form.end
                if starts:
                    start, end = starts[start], ends[end - 1]
                terms.append(Term(form.text, form.kind, concept, start, end))
            concept += 1
    return terms


def index_terms(text: str) -> list[str]:
    """The distinct terms to store for a text, in the order of their first occurrence."""
    folded, _, _ = _fold(text)
    terms: dict[str, None] = {}
    for chunk in folded.split():
        for forms in _concepts(chunk):
            for form in forms:
                terms[form.text] = None
    return list(terms)


def query_terms(text: str, limit: int) -> list[QueryTerm]:
    """At most `limit` distinct terms to ask for, in the order of the query.

    Function words are left out, unless the query has nothing else. What is over the limit goes by whole
    words, those first that promise the least: short, plain, said once.
    """
    by_concept: dict[int, list[Term]] = {}
    for term in analyse(text):
        if term.kind is not Kind.CHARACTER:
            by_concept.setdefault(term.concept, []).append(term)
    times = Counter(forms[0].text for forms in by_concept.values())
    distinct = {forms[0].text: forms for forms in reversed(by_concept.values())}
    told = [forms for word, forms in distinct.items() if word not in FUNCTION_WORDS] or list(
        distinct.values()
    )
    room = limit
    kept: list[list[Term]] = []
    for forms in sorted(
        told, key=lambda forms: (-_promise(text, forms[0], times[forms[0].text]), forms[0].concept)
    ):
        if len(forms) <= room:
            kept.append(forms)
            room -= len(forms)
    kept.sort(key=lambda forms: forms[0].concept)
    terms: dict[str, QueryTerm] = {}
    for forms in kept:
        for weighed in _weighed(forms):
            terms.setdefault(weighed.term, weighed)
    return list(terms.values())


def _promise(text: str, term: Term, times: int) -> float:
    """How much a word may tell: rare words are longer, names and numbers stand out, topics are repeated."""
    typed = text[term.start : term.end]
    stands_out = not typed.isascii() or any(c.isupper() or c.isdigit() for c in typed)
    return min(len(term.text), 12) + 4 * stands_out + log2(times)


def _weighed(forms: list[Term]) -> Iterator[QueryTerm]:
    prior = _PRIOR[forms[0].kind]
    variants = len(forms) - 1
    for term in forms:
        share = 1 - _VARIANTS_SHARE * bool(variants) if term is forms[0] else _VARIANTS_SHARE / variants
        yield QueryTerm(term.text, term.kind, term.concept, (term.start, term.end), prior * share)


def _fold(text: str) -> tuple[str, list[int], list[int]]:
    """The text as NFKC without invisible characters, and where each character starts and ends in `text`.

    Both lists are empty when the text is as it was.
    """
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _INVISIBLE.search(text)):
        return text, [], []
    clusters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        cluster = unicodedata.normalize(
            "NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", match.group()))
        )
        clusters.append(cluster)
        starts += [match.start()] * len(cluster)
        ends += [match.end()] * len(cluster)
    return "".join(clusters), starts, ends


def _concepts(chunk: str) -> tuple[_Concept, ...]:
    """The concepts of a run of text without white space. Words repeat, so short ones are remembered."""
    return (
        _remembered_concepts(chunk)
        if len(chunk) <= _REMEMBERED_CHUNK_CHARS_MAX
        else tuple(_found_concepts(chunk))
    )


@lru_cache(maxsize=_REMEMBERED_CHUNKS)
def _remembered_concepts(chunk: str) -> tuple[_Concept, ...]:
    return tuple(_found_concepts(chunk))


def _found_concepts(chunk: str) -> Iterator[_Concept]:
    chain: list[_Piece] = []
    for piece in _pieces(chunk):
        yield from _dense_concepts(piece) if piece.dense else _word_concepts(piece)
        chain = [*chain, piece] if piece.linked else [piece]
        joined = _joined(chain)
        if joined:
            yield (_form(joined, Kind.JOINED, chain[0].start, piece.end),)


def _pieces(chunk: str) -> Iterator[_Piece]:
    end_before = -2
    for match in _TOKEN.finditer(chunk):
        start, end = match.span(match.lastgroup)
        if chunk[end - 1] in "+#" and not _SIGNED_NAME.fullmatch(chunk, start, end):
            end -= 2 if chunk[end - 1] == "+" else 1
        is_word = match.lastgroup == "word"
        linked = is_word and start == end_before + 1 and chunk[end_before] in _CONNECTORS
        yield _Piece(chunk[start:end], start, end, match.lastgroup == "dense", linked)
        end_before = end if is_word else -2


@lru_cache(maxsize=_REMEMBERED_CHUNKS)
def _stem(word: str) -> str:
    """Remembered apart from the chunks, in which a word stands beside all sorts of punctuation."""
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(word))


def _word_concepts(piece: _Piece) -> Iterator[_Concept]:
    start, end = piece.start, piece.end
    contracted = "'" in piece.text or "’" in piece.text
    word = _case_folded(piece.text)
    if contracted:
        word = word.replace("'", "").replace("’", "")
    if "," in word:
        word = _THOUSANDS.sub(lambda number: number.group().replace(",", ""), word)
    bare = _without_optional_marks(word)
    forms = [_form(word, Kind.WORD, start, end)]
    if bare != word:
        forms.append(_form(bare, Kind.FOLDED, start, end))
    if bare.isascii() and bare.isalpha() and word not in FUNCTION_WORDS:
        forms.append(_form(STEM_MARK + _stem(BASE_FORMS.get(bare, bare)), Kind.STEM, start, end))
    yield tuple(forms)
    parts = [] if contracted else list(_PART.finditer(piece.text))
    if len(parts) > 1:
        for part in parts:
            yield (_form(_case_folded(part.group()), Kind.PART, start + part.start(), start + part.end()),)


def _dense_concepts(piece: _Piece) -> Iterator[_Concept]:
    characters = [
        (m.group(), piece.start + m.start(), piece.start + m.end()) for m in _CHARACTER.finditer(piece.text)
    ]
    kind = Kind.CHARACTER if len(characters) > 1 else Kind.CJK
    for form, start, end in characters:
        yield (_form(_case_folded(form), kind, start, end),)
    for (first, start, _), (second, _, end) in pairwise(characters):
        yield (_form(_case_folded(first + second), Kind.CJK, start, end),)


def _joined(chain: list[_Piece]) -> str:
    """The pieces of a chain written together, or "" where that says nothing or would merge numbers."""
    if not 2 <= len(chain) <= _JOINED_PIECES_MAX:
        return ""
    if any(left.text[-1].isdigit() and right.text[0].isdigit() for left, right in pairwise(chain)):
        return ""
    return "".join(_case_folded(piece.text) for piece in chain)


def _case_folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())


def _without_optional_marks(word: str) -> str:
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFD", word)))


def _form(text: str, kind: Kind, start: int, end: int) -> _Form:
    return _Form(_capped(text), kind, start, end)


def _capped(text: str) -> str:
    """At most TERM_UTF16_UNITS_MAX units, never half a character."""
    if len(text) * 2 <= TERM_UTF16_UNITS_MAX:
        return text
    units = text.encode("utf-16-le")[: 2 * TERM_UTF16_UNITS_MAX]
    return units.decode("utf-16-le", errors="ignore")
