"""Importer for relations as CSV: a header with `from`, `type` and `to`, then one relation a line.

Optional columns `from_kind` and `to_kind` give the kinds of the two entities; every other column becomes a
property of the relation, where it is not empty. The records name no scope: the scope of the load is used. A
row is one line (no line breaks inside quotes): so an unclosed quote costs its own row, and not the rest of
the file.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from graphsvc.domain.names import name_key
from graphsvc.importers.lines import LineError, decode_text, read_lines
from graphsvc.importers.sourced_record import Problem, Record, SourcedRecord

_REQUIRED: Final = ("from", "type", "to")
_KIND_OF: Final = {"from": "from_kind", "to": "to_kind"}

Row = dict[str, str]


def read_csv_pairs(path: Path) -> Iterator[SourcedRecord]:
    """Yield each entity where it is first named or its kind first given, then the relations. Raises OSError.

    Without a usable header nothing can be read: one problem at the header's line, and no records. The file
    is read twice; memory grows with the number of different names only.
    """
    kind_known: dict[str, bool] = {}
    for line_number, row in _read_rows(path):
        if isinstance(row, Problem):
            yield SourcedRecord(line_number, row)
            continue
        for end in ("from", "to"):
            key, has_kind = name_key(row[end]), bool(row.get(_KIND_OF[end]))
            if has_kind > kind_known.get(key, -1):
                kind_known[key] = has_kind
                yield SourcedRecord(line_number, _entity_record(row, end))
    for line_number, row in _read_rows(path):
        if not isinstance(row, Problem):
            yield SourcedRecord(line_number, _relation_record(row))


def _read_rows(path: Path) -> Iterator[tuple[int, Row | Problem]]:
    header: list[str] = []
    for line_number, line in read_lines(path):
        try:
            if isinstance(line, Problem):
                raise LineError(line.reason)
            cells = _cells(line)
            if header:
                yield line_number, _row(header, cells)
            else:
                header = _header(cells)
        except LineError as error:
            yield line_number, Problem(str(error))
            if not header:
                return


def _cells(line: bytes) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([decode_text(line)], strict=True))]
    except csv.Error as error:
        raise LineError(f"not a CSV row: {error}") from None


def _header(cells: list[str]) -> list[str]:
    header = [cell.casefold() for cell in cells]
    missing = [name for name in _REQUIRED if name not in header]
    if missing:
        raise LineError(f"the header lacks {', '.join(missing)}")
    if max(Counter(header).values()) > 1 or "" in header:
        raise LineError("the header has an empty name or the same name twice")
    return header


def _row(header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        raise LineError(f"{len(cells)} fields where the header has {len(header)}")
    row = dict(zip(header, cells, strict=True))
    empty = [name for name in _REQUIRED if not row[name]]
    if empty:
        raise LineError(f"no value for {', '.join(empty)}")
    return row


def _entity_record(row: Row, end: str) -> Record:
    record: Record = {"record": "entity", "name": row[end]}
    if kind := row.get(_KIND_OF[end]):
        record["kind"] = kind
    return record


def _relation_record(row: Row) -> Record:
    record: Record = {"record": "relation", **{name: row[name] for name in _REQUIRED}}
    named = {*_REQUIRED, *_KIND_OF.values()}
    if properties := {name: value for name, value in row.items() if name not in named and value}:
        record["properties"] = properties
    return record
