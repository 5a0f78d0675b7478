"""How good task-link suggestions are, on labelled pairs of task and entity derived by rule from the PEPs.

    graphsvc load --format peps peps.jsonl        (into the service that is measured)
    python -m bench.suggestions --peps peps.jsonl --service http://127.0.0.1:8737 --token-file operator.token

The rule. *Named* tasks: 110 tasks of three labels each (330 pairs): one proposal by its number in one of the spellings
that people use, another one by its title, and a person, an author of a third proposal, by name; the sentences around
them are fixed and name nothing. *Topic* tasks: 110 tasks of one label each: the rarest words of a proposal's abstract,
without those of its title, in the order of the text. *Loose* tasks: the same with six words drawn from those of the
abstract that between five and sixty proposals use. All draws come from one seed.

Precision@3 = labels among the first three / three; recall@10 = labels among the first ten / all labels. For topic
tasks, which have one label, recall@3 is given in place of precision.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from graphsvc.domain.function_words import FUNCTION_WORDS
from graphsvc.domain.names import pointer_key
from graphsvc.importers.peps import SCOPE, plain_title

TASKS: Final = 110
TOPIC_WORDS: Final = 12
LOOSE_WORDS: Final = 6
LOOSE_FREQUENCY: Final = range(5, 61)
SHOWN: Final = 10
_ATTEMPTS: Final = 5
"""A service that has just started, or is busy, may have to be asked again."""
_SPELLINGS: Final = ("PEP {}", "pep-{:04d}", "PEP {}", "pep{}")
_SENTENCES: Final = (
    "Before Friday, read {number} again and compare it with “{title}”; then ask {person}.",
    "{person} wants to know how {number} and {title} fit together.",
    "Write a summary of {title}, mention {number}, and send it to {person} for comment.",
    "Collect objections to {number}. {person} has some. See also: {title}.",
)


@dataclass(frozen=True, slots=True)
class LabelledTask:
    """A task and the names of the entities that it is about."""

    title: str
    body: str
    labels: frozenset[str]


def entity_name(pep: dict[str, Any]) -> str:
    """The name under which the importer keeps a proposal."""
    return f"PEP {pep['number']} – {plain_title(pep['title'])}"


def labelled_tasks(
    peps: Sequence[dict[str, Any]], seed: int = 7
) -> tuple[list[LabelledTask], list[LabelledTask], list[LabelledTask]]:
    """Named, topic and loose tasks, by the rule above."""
    chosen = random.Random(seed)
    titles = Counter(pointer_key(plain_title(pep["title"])) for pep in peps)
    # A title of one word, or of two proposals, names nobody for certain: it would be no label but a guess.
    titled = [
        pep
        for pep in peps
        if titles[pointer_key(plain_title(pep["title"]))] == 1 and len(pointer_key(pep["title"]).split()) > 1
    ]
    named = []
    for i in range(TASKS):
        by_number, by_title, written = chosen.choice(peps), chosen.choice(titled), chosen.choice(peps)
        person = chosen.choice(written["authors"])
        body = _SENTENCES[i % len(_SENTENCES)].format(
            number=_SPELLINGS[i % len(_SPELLINGS)].format(by_number["number"]),
            title=plain_title(by_title["title"]),
            person=person,
        )
        labels = frozenset({entity_name(by_number), entity_name(by_title), person})
        named.append(LabelledTask(f"To do {i}", body, labels))
    frequency = Counter(word for pep in peps for word in set(pointer_key(" ".join(pep["abstract"])).split()))
    topics, loose = [], []
    for pep in chosen.sample([pep for pep in peps if len(" ".join(pep["abstract"]).split()) > 40], TASKS):
        own = set(pointer_key(pep["title"]).split()) | FUNCTION_WORDS
        words = [
            word
            for word in pointer_key(" ".join(pep["abstract"])).split()
            if word not in own and not word.isdigit()
        ]
        rare = set(
            sorted(set(words), key=lambda word: (frequency[word] == 1, frequency[word], word))[:TOPIC_WORDS]
        )
        text = " ".join(dict.fromkeys(word for word in words if word in rare))
        label = frozenset({entity_name(pep)})
        topics.append(LabelledTask("Look into this", text, label))
        known = sorted({word for word in words if frequency[word] in LOOSE_FREQUENCY})
        drawn = chosen.sample(known, min(LOOSE_WORDS, len(known)))
        loose.append(LabelledTask("Look into this", " ".join(drawn), label))
    return named, topics, loose


class Service:
    """The service that is measured."""

    def __init__(self, url: str, token: str) -> None:
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def call(self, operation: str, **payload: Any) -> Any:
        """The answer of an operation that must succeed."""
        for _ in range(_ATTEMPTS):
            response = self._http.post(f"/v1/{operation}", json=payload)
            if response.status_code not in {503, 504}:
                break
            time.sleep(1)
        response.raise_for_status()
        return response.json()


def suggested(service: Service, tasks: Sequence[LabelledTask], label: str) -> list[list[str]]:
    """The names suggested for each task, the best first. The tasks are retired afterwards."""
    items = [
        {"title": t.title, "body": t.body, "external_id": f"bench-{label}-{i}"} for i, t in enumerate(tasks)
    ]
    made = service.call("create_tasks", scope=SCOPE, tasks=items)["results"]
    budget = {"unit": "chars", "limit": 40_000}
    answers = [
        service.call("suggest_task_links", task=task["id"], limit=SHOWN, budget=budget) for task in made
    ]
    found = [[one["entity"]["name"] for one in answer["suggestions"]] for answer in answers]
    service.call("retire", scope=SCOPE, ids=[result["id"] for result in made])
    return found


def share_found(
    tasks: Sequence[LabelledTask], found: Sequence[Sequence[str]], first: int, *, of_labels: bool
) -> float:
    """Labels among the first so many, as a share of the labels or of the places; the mean over tasks."""
    shares = [
        len(task.labels & set(names[:first])) / (len(task.labels) if of_labels else first)
        for task, names in zip(tasks, found, strict=True)
    ]
    return sum(shares) / len(shares)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peps", type=Path, required=True)
    parser.add_argument("--service", required=True)
    parser.add_argument("--token-file", type=Path, required=True)
    given = parser.parse_args()
    peps = [json.loads(line) for line in given.peps.read_text(encoding="utf-8").splitlines()]
    named, topics, loose = labelled_tasks(peps)
    service = Service(given.service, given.token_file.read_text(encoding="utf-8").strip())
    by_name = suggested(service, named, "named")
    figures: dict[str, dict[str, float]] = {
        "named": {
            "pairs": sum(len(task.labels) for task in named),
            "precision_at_3": round(share_found(named, by_name, 3, of_labels=False), 3),
            "recall_at_10": round(share_found(named, by_name, 10, of_labels=True), 3),
        }
    }
    for label, tasks in (("topic", topics), ("loose", loose)):
        found = suggested(service, tasks, label)
        figures[label] = {
            "pairs": len(tasks),
            "recall_at_3": round(share_found(tasks, found, 3, of_labels=True), 3),
            "recall_at_10": round(share_found(tasks, found, 10, of_labels=True), 3),
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
