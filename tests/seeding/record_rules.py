"""Whether records would pass the rules of the HTTP writes, by the same models and without a database."""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel

from graphsvc.importers import Problem, Record, SourcedRecord
from graphsvc.models.common import InvalidItem
from graphsvc.models.writes import (
    AliasesInput,
    EntityInput,
    ObservationsInput,
    ObservationsReference,
    RelationInput,
    RelationReference,
)

_OPTIONS: Final = {"record", "scope", "resolve"}
"""Fields of a record that are options of the request in a write."""


def records_of(sourced: Iterable[SourcedRecord]) -> list[Record]:
    """The records, where there is no problem among them."""
    contents = [item.content for item in sourced]
    problems = [content for content in contents if isinstance(content, Problem)]
    assert problems == []
    return [content for content in contents if not isinstance(content, Problem)]


def problems_by_line(sourced: Iterable[SourcedRecord]) -> dict[int, str]:
    """Line number → reason."""
    return {item.line_number: item.content.reason for item in sourced if isinstance(item.content, Problem)}


def check_record(record: Record) -> None:
    """Raise, or fail an assertion, when a write would refuse the record or a part of it."""
    item = {key: value for key, value in record.items() if key not in _OPTIONS}
    match record["record"]:
        case "scope":
            assert record.keys() == {"record", "id", "title"}
        case "entity":
            _check_whole(EntityInput.model_validate(item))
        case "observations":
            _check_whole(ObservationsInput.model_validate(item))
        case "aliases":
            _check_whole(AliasesInput.model_validate(item))
        case "relation":
            _check_whole(RelationInput.model_validate(item))
        case "retire_observations":
            _check_whole(ObservationsReference.model_validate(item))
        case "retire_relations":
            for relation in item["relations"]:
                _check_whole(RelationReference.model_validate(relation))
        case "retire_entities":
            assert all(isinstance(name, str) and name for name in item["names"])
        case kind:
            raise AssertionError(f"unknown record kind {kind}")


def _check_whole(model: BaseModel) -> None:
    for _, value in model:
        parts: list[Any] = value if isinstance(value, list) else [value]
        assert not [part for part in parts if isinstance(part, InvalidItem)]
