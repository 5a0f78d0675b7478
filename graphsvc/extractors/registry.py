"""Extractors by name: those of all installed packages, and the one that comes with the service."""

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from graphsvc.errors import NotFound
from graphsvc.extractors import patterns
from graphsvc.extractors.base import ExtractedClaim, Extractor

ENTRY_POINT_GROUP: Final = "graphsvc.extractors"


@cache
def _installed() -> dict[str, Extractor]:
    return {"patterns": patterns.extract} | {
        entry.name: entry.load() for entry in entry_points(group=ENTRY_POINT_GROUP)
    }


def extract(name: str, text: str) -> list[ExtractedClaim]:
    """What an extractor finds in a text. Raises NotFound for one that is not installed."""
    extractor = _installed().get(name)
    if extractor is None:
        raise NotFound("no such extractor is installed")
    return list(extractor(text))
