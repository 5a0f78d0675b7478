"""Questions about PEPs, derived from the data, each with the one entity that its pointer must name.

The data are not part of the project: `peps_file()` skips the test, with the reason, where they are not there.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from graphsvc.domain.names import pointer_key
from graphsvc.importers import IMPORTERS, Problem

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PEPS_PATH: Final = CHECKOUT.parent / "shared" / "data" / "peps.jsonl"

# No word here is a name or an alias in the data: everything but the spelling put in must point to nothing.
_TEMPLATES: Final = (
    "What does {} propose?",
    "Who wrote {}?",
    "Please summarise {} for me.",
    "when was {} created",
    "Was {} ever accepted, and by whom?",
    "{}: what came of it?",
)


@dataclass(frozen=True, slots=True)
class PepQuestion:
    """A query, the spelling in it that names a proposal, and the name of the proposal's entity."""

    query: str
    spelling: str
    entity_name: str


def peps_file() -> Path:
    """The path of peps.jsonl; skips the calling test when there is no such file."""
    if not PEPS_PATH.is_file():
        pytest.skip("no ../shared/data/peps.jsonl beside the checkout")
    return PEPS_PATH


def pep_rows() -> list[dict[str, Any]]:
    """The lines of the data as they are."""
    return [json.loads(line) for line in peps_file().read_text("utf-8").splitlines()]


def ambiguous_pep_titles() -> list[str]:
    """Titles that several proposals have: a question for one of them must yield no pointer, and say so."""
    owners: dict[str, list[str]] = {}
    for row in pep_rows():
        owners.setdefault(pointer_key(row["title"]), []).append(row["title"])
    return [titles[0] for titles in owners.values() if len(titles) > 1]


def derived_pep_questions(n: int = 50, seed: int = 8) -> list[PepQuestion]:
    """`n` questions, the same for one seed: half by title as in the data, half by number."""
    rng = random.Random(seed)
    names = _names_by_number()
    ambiguous = {pointer_key(title) for title in ambiguous_pep_titles()}
    rows = [row for row in pep_rows() if pointer_key(row["title"]) not in ambiguous]
    questions = []
    for index, row in enumerate(rng.sample(rows, n)):
        number = row["number"]
        spellings = (f"PEP {number}", f"pep-{number:04}", f"pep{number}", f"pep {number}")
        spelling = row["title"] if index % 2 == 0 else rng.choice(spellings)
        query = rng.choice(_TEMPLATES).format(spelling)
        questions.append(PepQuestion(query, spelling, names[number]))
    return questions


def _names_by_number() -> dict[int, str]:
    """Number → entity name, by the external id that the importer gives."""
    names = {}
    for item in IMPORTERS["peps"](peps_file()):
        assert not isinstance(item.content, Problem)
        for external_id in item.content.get("external_ids", []):
            names[int(external_id.removeprefix("pep:"))] = item.content["name"]
    return names
