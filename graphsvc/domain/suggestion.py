"""How likely a task is about an entity: six signals, their weights, and the reasons in words (spec 07). Pure.

Every raw signal is between 0 and 1 and every score is the sum of weight × raw, so that a reader can add it up again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from graphsvc.domain.names import collapse
from graphsvc.domain.pointers import Window

SCORER_VERSION: Final = "1"
HIGH_CONFIDENCE: Final = 0.5
WEIGHTS: Final = MappingProxyType(
    {
        "mention": 0.30,
        "full_text": 0.25,
        "graph": 0.20,
        "project": 0.10,
        "provenance": 0.10,
        "time": 0.05,
    }
)
_HALF_LIFE_DAYS: Final = 30.0
_SECONDS_PER_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or alias that stands in a task's text. `owners` is how many entities the caller sees under it."""

    text: str
    owners: int

    @property
    def raw(self) -> float:
        """Certain with one owner; shared among several, as nobody is chosen."""
        return 1 / self.owners


def find_mentions(
    windows: Sequence[Window], owners_by_key: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Mention]:
    """The mentioned entities by id: longest windows first, names before aliases, no overlaps."""
    taken: list[tuple[int, int]] = []
    found: dict[str, Mention] = {}
    for window in windows:
        owners = owners_by_key.get(window.key)
        if not owners or any(window.start < end and start < window.end for start, end in taken):
            continue
        if window.tokens == 1 and len(window.key) <= 2:
            # So short a word is a name only when it is written as the name is.
            owners = [owner for owner in owners if collapse(owner["text"]) == window.verbatim]
            if not owners:
                continue
        taken.append((window.start, window.end))
        named = [owner for owner in owners if owner["primary"]] or owners
        for owner in named:
            mention = Mention(window.verbatim, len(named))
            if owner["id"] not in found or mention.raw > found[owner["id"]].raw:
                found[owner["id"]] = mention
    return found


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What the scorer knows of the task: its scope, its time, and what its text named and matched."""

    scope: str
    created_at: str
    mentions: Mapping[str, Mention]
    text_scores: Mapping[str, float]


def score_candidates(task: TaskFacts, candidates: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Suggestions, the best first, ties by id. Candidates without any signal beyond project and time are left out."""
    best = max(task.text_scores.values(), default=0.0)
    scored = [_score(task, candidate, best) for candidate in candidates]
    scored.sort(key=lambda suggestion: (-suggestion["score"], suggestion["entity"]["id"]))
    return scored


def is_founded(suggestion: Mapping[str, Any]) -> bool:
    """Whether something beyond sharing a project and a time speaks for a suggestion."""
    return any(
        suggestion["signals"][name]["raw"] > 0 for name in ("mention", "full_text", "graph", "provenance")
    )


def _score(task: TaskFacts, candidate: Mapping[str, Any], best: float) -> dict[str, Any]:
    entity = candidate["entity"]
    mention = task.mentions.get(entity["id"])
    raw = {
        "mention": mention.raw if mention else 0.0,
        "full_text": task.text_scores.get(entity["id"], 0.0) / best if best else 0.0,
        "graph": candidate["near"] / (candidate["near"] + 1),
        "project": 1.0 if entity["scope"] == task.scope else 0.0,
        "provenance": 1.0 if candidate["same_session"] else 0.0,
        "time": 0.5 ** (_days_between(task.created_at, candidate["last_seen_at"]) / _HALF_LIFE_DAYS),
    }
    signals = {
        name: {
            "raw": round(raw[name], 4),
            "weight": weight,
            "contribution": round(weight * round(raw[name], 4), 6),
        }
        for name, weight in WEIGHTS.items()
    }
    return {
        "entity": {key: entity[key] for key in ("id", "name", "kind", "scope")},
        "score": round(sum(signal["contribution"] for signal in signals.values()), 6),
        "signals": signals,
        "reasons": _reasons(raw, mention, candidate),
    }


def _reasons(raw: Mapping[str, float], mention: Mention | None, candidate: Mapping[str, Any]) -> list[str]:
    reasons: list[str] = []
    if mention:
        shared = f", a name that {mention.owners} things share" if mention.owners > 1 else ""
        reasons.append(f"mentions “{mention.text}”{shared}")
    if raw["full_text"] > 0:
        reasons.append(
            f"what is known of it shares words with the task ({raw['full_text']:.0%} of the best match)"
        )
    if candidate["near"]:
        count = candidate["near"]
        reasons.append(f"is related to {count} linked {'entity' if count == 1 else 'entities'}")
    if raw["project"]:
        reasons.append("is in the same project")
    if raw["provenance"]:
        reasons.append("was recorded in the same session")
    if raw["time"] > 0.5:
        reasons.append("was seen at about the same time")
    return reasons


def _days_between(a: str, b: str) -> float:
    return abs((datetime.fromisoformat(a) - datetime.fromisoformat(b)).total_seconds()) / _SECONDS_PER_DAY
