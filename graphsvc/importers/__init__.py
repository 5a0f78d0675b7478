"""Importers: foreign files read as the records of a bulk load (spec 10). One module per format.

To add a format: write `read_<format>(path)` as `Importer` describes it, name it here, and test it in
tests/seeding.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from graphsvc.importers.csv_pairs import read_csv_pairs
from graphsvc.importers.load_format import read_load_format
from graphsvc.importers.mcp_memory import read_mcp_memory
from graphsvc.importers.peps import read_peps
from graphsvc.importers.sourced_record import (
    RECORD_KINDS,
    Importer,
    Problem,
    Record,
    SourcedRecord,
)

IMPORTERS: Final[Mapping[str, Importer]] = MappingProxyType(
    {
        "jsonl": read_load_format,
        "mcp-memory": read_mcp_memory,
        "csv": read_csv_pairs,
        "peps": read_peps,
    }
)
"""Every format that `graphsvc load` reads, by the name given to it there."""

__all__ = ["IMPORTERS", "RECORD_KINDS", "Importer", "Problem", "Record", "SourcedRecord"]
