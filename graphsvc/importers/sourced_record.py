"""What an importer yields: a record of a load with the line it came from, or the reason why there is none.

A record is the JSON object of one line of the load format (seeds/README.md). Importers check the form of the
source; whether the record may be carried out (names, lengths, scopes, grants) is decided by the same rules
as an HTTP write.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Record = dict[str, Any]

RECORD_KINDS: Final = frozenset(
    {
        "scope",
        "entity",
        "observations",
        "relation",
        "aliases",
        "retire_entities",
        "retire_observations",
        "retire_relations",
    }
)
"""The values of the field `record` in the load format."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a line yields no record, in words that quote no text of the file beyond field names."""

    reason: str


@dataclass(frozen=True, slots=True)
class SourcedRecord:
    """One record or problem, and the 1-based number of the line that it comes from."""

    line_number: int
    content: Record | Problem


Importer = Callable[[Path], Iterator[SourcedRecord]]
"""Reads a file as records, in an order that can be loaded as it is, the same on every run.

A bad line is a `Problem` and never stops the lines after it. A file that cannot be read raises OSError.
"""
