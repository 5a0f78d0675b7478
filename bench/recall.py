"""How much of the evidence for a question is shown within a budget of tokens.

Each conversation of LoCoMo is a corpus of its own: a turn is an observation of its speaker, with the time and the
session it was said in. For each question the turns that hold the evidence are known. Recall at a budget = the share of
them among the best-ranked turns whose texts fit into it (tokens = UTF-8 bytes / 4; a turn that does not fit is passed
over), averaged over questions. Questions without an answer in the conversation (category 5) are left out.

    python -m bench.recall --locomo DIRECTORY [--captions] [--pool N]
    python -m bench.recall --peps FILE
    … --service http://127.0.0.1:8737 --token-file .demo/operator.token     (through a running service as well)
    … --neo4j bolt://… --password-file FILE                                 (Neo4j's own full-text order as well)

Rankers run side by side over the same texts: plain BM25 over lower-cased words, and the service's own ranking.
"""

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

import bm25s

from graphsvc.domain.dates import mentioned_dates
from graphsvc.domain.ranking import SESSION_REACH, Candidate, Question, asks, rank
from graphsvc.domain.words import index_terms, query_terms

BUDGETS_TOKENS: Final = (500, 1_000, 2_000)
BYTES_PER_TOKEN: Final = 4
CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
UNANSWERABLE: Final = 5
TERMS_MAX: Final = 64
NEIGHBOURS_OF_BEST: Final = 30
"""How many of the best candidates bring the turns around them into the pool."""
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Turn:
    """One observation: what is shown, who it is of, and when it was recorded."""

    id: str
    text: str
    owner: str
    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids of the turns that hold its evidence."""

    query: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One project: its turns in the order in which they were recorded, and the questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Asked]


class Ranker(Protocol):
    """Ranks the turns of one corpus: (turn id, text shown), best first."""

    def search(self, query: str) -> Sequence[tuple[str, str]]:
        """All that it would show for this query, in order."""


class PlainBM25:
    """The yardstick: Okapi BM25 over lower-cased words, defaults of a well-kept library."""

    _WORD = re.compile(r"\w+")

    def __init__(self, corpus: Corpus) -> None:
        self._turns = corpus.turns
        self._index = bm25s.BM25()
        self._index.index([self._words(turn.text) for turn in corpus.turns], show_progress=False)

    def _words(self, text: str) -> list[str]:
        return self._WORD.findall(text.lower())

    def search(self, query: str) -> Sequence[tuple[str, str]]:
        """Turns with at least one word of the query, by score, ties in the order of the corpus."""
        scores = self._index.get_scores(self._words(query))
        order = sorted((n for n, score in enumerate(scores) if score > 0), key=lambda n: (-scores[n], n))
        return [(self._turns[n].id, self._turns[n].text) for n in order]


class ServiceRanking:
    """The service's words and ranking, on candidates chosen as the full-text index chooses them.

    First the `pool_max` turns with the largest sum of the weights of the words that they hold, then the turns around
    the best of these in their sessions, then `graphsvc.domain.ranking`.
    """

    def __init__(self, corpus: Corpus, pool_max: int = 200, frequency_error: float = 0.0) -> None:
        self._corpus = corpus
        self._pool_max = pool_max
        self._frequency_error = frequency_error
        self._candidates: list[Candidate] = []
        self._places: dict[tuple[str, int], int] = {}
        sizes: Counter[str] = Counter()
        for n, turn in enumerate(corpus.turns):
            position = sizes[turn.session]
            sizes[turn.session] += 1
            self._places[turn.session, position] = n
            self._candidates.append(
                Candidate(
                    f"{n:06}",
                    turn.owner,
                    " ".join(index_terms(turn.text)),
                    at=turn.at,
                    session=turn.session,
                    position=position,
                    asks=asks(turn.text),
                )
            )
        self._holders: dict[str, list[int]] = defaultdict(list)
        for n, candidate in enumerate(self._candidates):
            for term in candidate.terms.split():
                self._holders[term].append(n)
        self._names = {owner: index_terms(owner) for owner in {turn.owner for turn in corpus.turns}}

    def question(self, query: str) -> Question:
        """The query as the service sees it: weighed words, the things it names, the dates it mentions."""
        terms = query_terms(query, TERMS_MAX)
        documents = len(self._candidates)
        weights = {}
        for place, term in enumerate(terms):
            frequency = len(self._holders.get(term.term, ()))
            if frequency:
                estimate = frequency * (1 + self._frequency_error * (1 if place % 2 else -1))
                weights[term.term] = term.prior * math.log(
                    1 + (documents - frequency + 0.5) / (estimate + 0.5)
                )
        asked = {term.term for term in terms}
        named = {owner for owner, words in self._names.items() if set(words) <= asked}
        return Question(
            terms,
            weights,
            named=named,
            name_terms={term for owner in named for term in self._names[owner]},
            dates=mentioned_dates(query, NOW.date()),
            now=NOW,
        )

    def pool(self, question: Question) -> list[Candidate]:
        """What the full-text index would give, and what stands around the best of it."""
        scores: dict[int, float] = defaultdict(float)
        for term, weight in question.weights.items():
            for n in self._holders[term]:
                scores[n] += weight
        best = sorted(scores, key=lambda n: (-scores[n], n))[: self._pool_max]
        chosen = dict.fromkeys(best)
        for n in best[:NEIGHBOURS_OF_BEST]:
            candidate = self._candidates[n]
            for distance in range(-SESSION_REACH, SESSION_REACH + 1):
                neighbour = self._places.get((candidate.session or "", candidate.position + distance))
                if neighbour is not None:
                    chosen[neighbour] = None
        return [self._candidates[n] for n in chosen]

    def search(self, query: str) -> Sequence[tuple[str, str]]:
        """The ranked pool."""
        question = self.question(query)
        ranked = rank(question, self.pool(question))
        turns = (self._corpus.turns[int(one.candidate.id)] for one in ranked)
        return [(turn.id, turn.text) for turn in turns]


def locomo(directory: Path, *, captions: bool = False) -> list[Corpus]:
    """The conversations of a LoCoMo directory; with `captions` a shared image's caption is part of the text."""
    return [
        _conversation(json.loads(path.read_bytes()), captions) for path in sorted(directory.glob("*.json"))
    ]


def _conversation(data: dict[str, Any], captions: bool) -> Corpus:
    turns = [
        Turn(
            turn["id"],
            turn["text"] + (f" [image: {turn['image']}]" if captions and turn.get("image") else ""),
            turn["speaker"],
            str(turn["session"]),
            datetime.strptime(turn["at"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
        )
        for turn in data["turns"]
    ]
    questions = [
        Asked(question["question"], CATEGORIES[question["category"]], frozenset(question["evidence"]))
        for question in data["questions"]
        if question["category"] != UNANSWERABLE
    ]
    return Corpus(data["id"], turns, questions)


def peps(path: Path) -> list[Corpus]:
    """Python Enhancement Proposals as one corpus: paragraphs of an abstract are asked for by the title of the PEP.

    The title itself is not among the texts. A PEP is a thing of its own, and its paragraphs are one session.
    """
    turns, questions = [], []
    for line in path.read_text("utf-8").splitlines():
        pep = json.loads(line)
        name = f"PEP {pep['number']}"
        at = datetime.strptime(pep["created"], "%d-%b-%Y").replace(tzinfo=UTC)
        mine = [Turn(f"{name}:{n}", text, name, name, at) for n, text in enumerate(pep["abstract"])]
        if mine:
            turns += mine
            questions.append(Asked(pep["title"], "title", frozenset(turn.id for turn in mine)))
    return [Corpus("peps", turns, questions)]


@dataclass(slots=True)
class Recall:
    """Sums of recall over questions: among the first ten, and within each budget."""

    questions: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0] * (1 + len(BUDGETS_TOKENS)))

    def add(self, shown: Sequence[tuple[str, str]], evidence: frozenset[str]) -> None:
        """Count one question."""
        within = [evidence & {turn for turn, _ in shown[:10]}]
        within += [evidence & fitting(shown, budget) for budget in BUDGETS_TOKENS]
        self.questions += 1
        self.sums = [
            total + len(found) / len(evidence) for total, found in zip(self.sums, within, strict=True)
        ]

    def means(self) -> list[float]:
        """Recall@10, then recall within each budget."""
        return [total / max(1, self.questions) for total in self.sums]


def fitting(shown: Sequence[tuple[str, str]], budget_tokens: int) -> set[str]:
    """The turns whose whole texts fit into the budget, taken in order."""
    room = budget_tokens * BYTES_PER_TOKEN
    taken = set()
    for turn, text in shown:
        size = len(text.encode())
        if size <= room:
            room -= size
            taken.add(turn)
    return taken


def measure(corpora: Iterable[Corpus], make: Callable[[Corpus], Ranker]) -> dict[str, Recall]:
    """Recall over all questions (`all`), by category and by corpus (`corpus NAME`)."""
    results: dict[str, Recall] = defaultdict(Recall)
    for corpus in corpora:
        ranker = make(corpus)
        for asked in corpus.questions:
            shown = ranker.search(asked.query)
            for key in ("all", asked.category, f"corpus {corpus.name}"):
                results[key].add(shown, asked.evidence)
    return results


def table(results: dict[str, dict[str, Recall]], baseline: str) -> str:
    """A Markdown table: one block per group of questions, one row per ranker, with the ratio to the baseline."""
    budgets = " | ".join(f"≤{budget:,} t" for budget in BUDGETS_TOKENS)
    lines = [
        f"| questions | ranker | R@10 | {budgets} | ≤1,000 t over {baseline} |",
        "| --- |" + " --- |" * 6,
    ]
    groups = sorted(results[baseline], key=lambda key: (key.startswith("corpus"), key != "all", key))
    for group in groups:
        reference = results[baseline][group].means()
        for name, result in results.items():
            means = result[group].means()
            cells = " | ".join(f"{mean:.3f}" for mean in means)
            label = f"{group} ({result[group].questions})"
            lines.append(f"| {label} | {name} | {cells} | {means[2] / reference[2]:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Evidence recall within a budget of tokens.")
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--locomo", type=Path, help="directory of LoCoMo conversations")
    data.add_argument("--peps", type=Path, help="JSON Lines of Python Enhancement Proposals")
    parser.add_argument(
        "--captions", action="store_true", help="captions of shared images belong to the text"
    )
    parser.add_argument("--pool", type=int, default=200, help="candidates taken from the full-text index")
    parser.add_argument("--service", help="address of a running service, to be measured too")
    parser.add_argument("--token-file", type=Path, help="its operator's token")
    parser.add_argument("--neo4j", help="address of a Neo4j, whose own full-text order is measured too")
    parser.add_argument("--password-file", type=Path, help="its password")
    arguments = parser.parse_args()
    corpora = (
        peps(arguments.peps) if arguments.peps else locomo(arguments.locomo, captions=arguments.captions)
    )
    results = {"BM25": measure(corpora, PlainBM25)}
    if arguments.neo4j:
        from bench.recall_neo4j import Neo4jFullText  # noqa: PLC0415 - only where a database runs

        password = arguments.password_file.read_text(encoding="utf-8").strip()
        default = {corpus.name: Neo4jFullText(corpus, arguments.neo4j, password) for corpus in corpora}
        results["Neo4j full-text"] = measure(corpora, lambda corpus: default[corpus.name])
        for index in default.values():
            index.close()
    results |= {
        "graphsvc": measure(corpora, lambda corpus: ServiceRanking(corpus, arguments.pool)),
    }
    if arguments.service:
        from bench.recall_http import OverHTTP  # noqa: PLC0415 - only where a service runs

        token = arguments.token_file.read_text(encoding="utf-8").strip()
        over_http = {corpus.name: OverHTTP(corpus, arguments.service, token) for corpus in corpora}
        results["graphsvc over HTTP"] = measure(corpora, lambda corpus: over_http[corpus.name])
        whole = {"unit": "tokens", "limit": 1_000}
        for ranker in over_http.values():
            ranker.budget = whole
        results["its whole answer in 1,000 t"] = measure(corpora, lambda corpus: over_http[corpus.name])
    print(table(results, "BM25"))


if __name__ == "__main__":
    main()
