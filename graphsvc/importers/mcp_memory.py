"""Importer for the memory file of the MCP reference server (JSON Lines of entities and relations).

`{"type":"entity","name","entityType","observations":[…]}` and
`{"type":"relation","from","to","relationType"}`. The records name no scope: the scope of the load is used.
The file may hold relations before their entities and relations to nothing; so relations come last, and those
that hang in the air are left for the load to skip and count.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from graphsvc import limits
from graphsvc.importers.lines import read_objects
from graphsvc.importers.long_text import split_text
from graphsvc.importers.model_problem import problem_of
from graphsvc.importers.sourced_record import Problem, Record, SourcedRecord


class _Entity(BaseModel):
    name: str
    kind: str | None = Field(default=None, alias="entityType")
    observations: list[str] | None = None


class _Relation(BaseModel):
    from_name: str = Field(alias="from")
    to_name: str = Field(alias="to")
    relation_type: str = Field(alias="relationType")


def read_mcp_memory(path: Path) -> Iterator[SourcedRecord]:
    """Yield the file's entities with their observations, then its relations. Raises OSError.

    Missing or null `entityType` and `observations` stand for none, blank observations are left out, and
    those that are longer than an observation may be are split. The file is read twice, so that memory does
    not grow with it; problems are reported once.
    """
    for line_number, content in _read(path):
        if isinstance(content, Problem):
            yield SourcedRecord(line_number, content)
        elif isinstance(content, _Entity):
            for record in _entity_records(content):
                yield SourcedRecord(line_number, record)
    for line_number, content in _read(path):
        if isinstance(content, _Relation):
            yield SourcedRecord(line_number, _relation_record(content))


def _read(path: Path) -> Iterator[tuple[int, _Entity | _Relation | Problem]]:
    for line_number, content in read_objects(path):
        yield line_number, content if isinstance(content, Problem) else _parse(content)


def _parse(line: Record) -> _Entity | _Relation | Problem:
    try:
        match line.get("type"):
            case "entity":
                return _Entity.model_validate(line)
            case "relation":
                return _Relation.model_validate(line)
            case _:
                return Problem('the field "type" must be entity or relation')
    except ValidationError as error:
        return problem_of(error)


def _entity_records(entity: _Entity) -> Iterator[Record]:
    """The entity with as many observations as one record may hold, then records with the rest of them."""
    texts = [piece for text in entity.observations or [] for piece in split_text(text)]
    kind = {"kind": entity.kind} if entity.kind else {}
    size = limits.OBSERVATIONS_PER_ITEM_MAX
    yield {"record": "entity", "name": entity.name, **kind, "observations": texts[:size]}
    for start in range(size, len(texts), size):
        yield {"record": "observations", "entity": entity.name, "contents": texts[start : start + size]}


def _relation_record(relation: _Relation) -> Record:
    return {
        "record": "relation",
        "from": relation.from_name,
        "type": relation.relation_type,
        "to": relation.to_name,
    }
