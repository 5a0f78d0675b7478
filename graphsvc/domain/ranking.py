"""The order of a candidate pool: every signal counts once, in one currency (spec 03). Pure, deterministic.

The currency is information: a word is worth its weight (`words.QueryTerm.prior` times how rare it is inside the visible
scopes), and the other signals are worth a share of the query's most telling word. A score is the sum of its parts:

* lexical: each word of the query that the text holds, once. How often does not matter; how much other text stands
  around it does, slowly. Words that follow each other in the query and in the text add a little.
* neighbourhood: words that the text does not hold, or holds less well, but that stand in what was recorded just
  before or after it in the same session: the answer to "where did you go?" seldom repeats the question. Each word
  counts at its nearest place only, so a session that keeps repeating one word gains nothing.
* name: the thing that it is recorded of is named in the query. That name in a text counts half, as a word: who is
  addressed is mostly not who is meant. A thing one relation away from a named one gets a little.
* time: it was recorded at a time that the query mentions.
* affinity: it is in the project hinted at.
* recency: breaks ties.

A text that ends in a question counts a little less: it asks for what another one tells. More matching words, nearer
neighbours, a better name never lower a score.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from math import log2
from typing import Final, NamedTuple

from graphsvc.domain.dates import DateMention, agreement
from graphsvc.domain.words import QueryTerm

LENT_SHARES: Final = (0.6, 0.6, 0.4, 0.3)
"""What a word is worth one, two, three, four places away. Two may be as near as one: speakers take turns."""
REPLY_SHARE: Final = 0.8
"""What a word of a question is worth to the record right after it."""
SESSION_REACH: Final = len(LENT_SHARES)
QUESTION_SHARE: Final = 0.9
NAME_SHARE: Final = 0.5
NAME_WORD_SHARE: Final = 0.5
RELATED_SHARE: Final = 0.1
TIME_SHARE: Final = 1.0
AFFINITY_SHARE: Final = 0.25
RECENCY_SHARE: Final = 0.01
_RECENCY_HALVING_DAYS: Final = 180
_PHRASE_SHARE: Final = 0.1
_PHRASE_OTHER_TERMS_MAX: Final = 3
_SHORT_TEXT_TERMS: Final = 30
_LENGTH_SLOPE: Final = 0.7
_SCORE_DIGITS: Final = 4
_QUESTION_MARKS: Final = ("?", "？", "؟", "⁇", "՞")
_OFFSETS: Final = tuple(
    (sign * distance, share) for distance, share in enumerate(LENT_SHARES, 1) for sign in (-1, 1)
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, after the words were weighed inside the visible scopes.

    `weights` has the weight of each term that occurs there at all, as used in its clause. `named` are the entities
    that the query names, `related` those one visible relation away from them, `name_terms` the words of those names.
    """

    terms: Sequence[QueryTerm]
    weights: Mapping[str, float]
    now: datetime
    named: Collection[str] = ()
    related: Collection[str] = ()
    name_terms: Collection[str] = ()
    dates: Sequence[DateMention] = ()
    hinted_scope: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One observation or name of the pool, or what stands beside one in its session.

    `terms` is what `words.index_terms` gave, joined by spaces; `position` numbers the records of one session without
    gaps; `asks` says that the text ends in a question mark (`asks`).
    """

    id: str
    owner: str
    terms: str
    scope: str = ""
    at: datetime | None = None
    session: str | None = None
    position: int = 0
    asks: bool = False
    is_name: bool = False


class Parts(NamedTuple):
    """What a score is the sum of."""

    lexical: float
    neighbourhood: float
    name: float
    time: float
    affinity: float
    recency: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, which is the sum of its parts to four digits."""

    candidate: Candidate
    score: float
    parts: Parts


def asks(text: str) -> bool:
    """Whether a text ends in a question mark, of any script."""
    return text.rstrip()[-1:] in _QUESTION_MARKS


def rank(question: Question, candidates: Sequence[Candidate]) -> list[Ranked]:
    """All candidates that answer at all (by a word, a name, a time), best first, ties by id."""
    words = _Words(question)
    signals = _Signals(question, words.most_telling)
    matches = [words.matched(candidate) for candidate in candidates]
    sessions: dict[str, dict[int, _Lender]] = {}
    for candidate, match in zip(candidates, matches, strict=True):
        if match.worths and candidate.session is not None:
            lenders = sessions.setdefault(candidate.session, {})
            lenders[candidate.position] = (match.worths, REPLY_SHARE if candidate.asks else LENT_SHARES[0])
    ranked = []
    for candidate, match in zip(candidates, matches, strict=True):
        lenders = sessions.get(candidate.session, {}) if candidate.session is not None else {}
        lent = _lent(candidate.position, match.worths, lenders) if lenders else 0.0
        name, time = signals.name(candidate), signals.time(candidate)
        if not (match.total or lent or name or time):
            continue
        share = QUESTION_SHARE if candidate.asks else 1.0
        parts = Parts(
            match.total * share,
            lent * share,
            name * share,
            time * share,
            signals.affinity(candidate),
            signals.recency(candidate),
        )
        ranked.append(Ranked(candidate, round(sum(parts), _SCORE_DIGITS), parts))
    ranked.sort(key=lambda one: (-one.score, one.candidate.id))
    return ranked


_Worths = Mapping[int, float]
"""What each concept of the query is worth in one text."""
_Lender = tuple[_Worths, float]
"""The worths of one place in a session, and the share of them that the next place gets."""


class _Match(NamedTuple):
    worths: _Worths
    total: float


_NO_MATCH: Final = _Match({}, 0.0)


class _Words:
    """The words of a question, ready to be looked for in many texts."""

    def __init__(self, question: Question) -> None:
        self._by_term: dict[str, tuple[int, float]] = {}
        totals: dict[int, float] = {}
        plain: dict[int, float] = {}
        for term in question.terms:
            weight = question.weights.get(term.term, 0.0)
            if weight <= 0:
                continue
            is_name = term.term in question.name_terms
            worth = weight * (NAME_WORD_SHARE if is_name else 1.0)
            self._by_term[term.term] = (term.concept, worth)
            totals[term.concept] = totals.get(term.concept, 0.0) + worth
            if not is_name:
                plain[term.concept] = totals[term.concept]
        self._wanted = frozenset(self._by_term)
        self.most_telling = max((plain or totals).values(), default=1.0)
        self._before = {after: before for before, after in pairwise(sorted(totals))}

    def matched(self, candidate: Candidate) -> _Match:
        terms = candidate.terms.split()
        found = self._wanted.intersection(terms)
        if not found:
            return _NO_MATCH
        share = len(found) / len(terms) if candidate.is_name else _told(len(terms) - len(found))
        worths: dict[int, float] = {}
        for term in sorted(found):
            concept, worth = self._by_term[term]
            worths[concept] = worths.get(concept, 0.0) + worth * share
        total = sum(worths.values())
        if len(worths) > 1:
            total += self._phrase(terms, worths)
        return _Match(worths, total)

    def _phrase(self, terms: list[str], worths: _Worths) -> float:
        """A little for each two words that follow each other in the query and, with at most a word between, here.

        What stands between is counted in terms that are not of the query: one more match never parts two others.
        """
        others = 0
        last_seen: dict[int, int] = {}
        following: set[int] = set()
        for term in terms:
            if term not in self._by_term:
                others += 1
                continue
            concept = self._by_term[term][0]
            before = last_seen.get(self._before.get(concept, -1))
            if before is not None and others - before <= _PHRASE_OTHER_TERMS_MAX:
                following.add(concept)
            last_seen[concept] = others
        return sum(
            _PHRASE_SHARE * min(worths[concept], worths[self._before[concept]])
            for concept in sorted(following)
        )


def _told(others: int) -> float:
    """What is left of a word's worth among so many other terms: three fifths among 30, two fifths among 100."""
    return 1 / (1 + _LENGTH_SLOPE * log2(1 + others / _SHORT_TEXT_TERMS))


def _lent(position: int, own: _Worths, lenders: Mapping[int, _Lender]) -> float:
    """What the records around add: each concept at its nearest place, as far as that is more than its own worth."""
    best: dict[int, float] = {}
    for offset, share in _OFFSETS:
        lender = lenders.get(position + offset)
        if lender is not None:
            worths, next_share = lender
            taken = next_share if offset == -1 else share
            for concept, worth in worths.items():
                if worth * taken > best.get(concept, 0.0):
                    best[concept] = worth * taken
    return sum(
        worth - own.get(concept, 0.0) for concept, worth in best.items() if worth > own.get(concept, 0.0)
    )


class _Signals:
    """The parts that do not come from words."""

    def __init__(self, question: Question, most_telling: float) -> None:
        self._question = question
        self._most_telling = most_telling
        self._agreements: dict[date, float] = {}

    def name(self, candidate: Candidate) -> float:
        if candidate.owner in self._question.named:
            return NAME_SHARE * self._most_telling
        return RELATED_SHARE * self._most_telling if candidate.owner in self._question.related else 0.0

    def time(self, candidate: Candidate) -> float:
        if candidate.at is None or not self._question.dates:
            return 0.0
        day = candidate.at.date()
        if day not in self._agreements:
            self._agreements[day] = agreement(self._question.dates, day)
        return TIME_SHARE * self._agreements[day] * self._most_telling

    def affinity(self, candidate: Candidate) -> float:
        hinted = self._question.hinted_scope is not None and candidate.scope == self._question.hinted_scope
        return AFFINITY_SHARE * self._most_telling if hinted else 0.0

    def recency(self, candidate: Candidate) -> float:
        if candidate.at is None:
            return 0.0
        age_days = max(0.0, (self._question.now - candidate.at).total_seconds() / 86_400)
        return RECENCY_SHARE * self._most_telling / (1 + age_days / _RECENCY_HALVING_DAYS)
