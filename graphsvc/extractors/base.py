"""What an extractor gives."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractedClaim:
    """A statement found in a text at code points [start, end)."""

    subject: str
    predicate: str
    object: str
    confidence: float
    start: int
    end: int


Extractor = Callable[[str], Iterable[ExtractedClaim]]
