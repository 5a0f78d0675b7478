"""The corpus: hostile strings from `corpus/*.txt`, each with the reason why it is there."""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("corpus")


@dataclass(frozen=True)
class Hostile:
    """One string."""

    file: str
    text: str
    why: str


def load_corpus() -> list[Hostile]:
    """All of them, in the order of the files."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            text, end = json.JSONDecoder().raw_decode(line)
            found.append(Hostile(path.stem, text, line[end:].strip(" #")))
    return found


CORPUS = load_corpus()
