"""The service's own load format: JSON Lines, one record a line, as documented in seeds/README.md."""

from collections.abc import Iterator
from pathlib import Path

from graphsvc.importers.lines import read_objects
from graphsvc.importers.sourced_record import RECORD_KINDS, Problem, Record, SourcedRecord


def read_load_format(path: Path) -> Iterator[SourcedRecord]:
    """Yield every line of the file as it stands, in its order. Raises OSError."""
    for line_number, content in read_objects(path):
        yield SourcedRecord(line_number, content if isinstance(content, Problem) else _known_kind(content))


def _known_kind(record: Record) -> Record | Problem:
    if "record" not in record:
        return Problem('the field "record" is missing')
    kind = record["record"]
    if not isinstance(kind, str) or kind not in RECORD_KINDS:
        return Problem(f'the field "record" must be one of {", ".join(sorted(RECORD_KINDS))}')
    return record
