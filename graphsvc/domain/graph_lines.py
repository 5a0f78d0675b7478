"""The lines of an exported graph: nodes, then edges, each under a reference that outlives the database (spec 10). Pure.

    {"node":"ent_…","labels":["Entity"],"properties":{"created_at":{"$datetime":"2026-03-01T10:00:00Z"},…}}
    {"edge":"NAMES","from":["Alias","shared","acme"],"to":"ent_…","properties":{…}}

A reference is the node's id, or its label and the values that a constraint makes unique. The first line is a header,
the last one counts the lines and carries their digest.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final

import orjson
from neo4j.time import Date, DateTime

FORMAT: Final = "graphsvc-graph"
FORMAT_VERSION: Final = 1
Reference = str | list[str]

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "Alias": ("scope", "key"),
    "ChainHead": ("scope",),
    "ChunkRef": ("scope", "chunk_ref"),
    "ExternalId": ("scope", "value"),
    "Principal": ("name",),
    "RelationType": ("scope", "key"),
    "Session": ("scope", "session_id"),
    "Source": ("scope", "sha256"),
    "Tool": ("scope", "name"),
}
"""Labels whose nodes have no id of their own, with the properties that a constraint makes unique."""


class LineError(ValueError):
    """A line, or a thing that should become one, is not what it should be; the text says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as a line has it."""

    reference: Reference
    labels: list[str]
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge as a line has it."""

    type: str
    start: Reference
    end: Reference
    properties: dict[str, Any]


def dumps(value: Any) -> bytes:
    """JSON in one spelling."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def reference_of(labels: Sequence[str], properties: Mapping[str, Any]) -> Reference:
    """What a node is called outside its database. Raises LineError for one that nothing makes unique."""
    for label in sorted(labels):
        if label in _KEYS:
            values = [properties.get(name) for name in _KEYS[label]]
            if all(isinstance(value, str) for value in values):
                return [label, *map(str, values)]
    if isinstance(properties.get("id"), str):
        return str(properties["id"])
    raise LineError(f"a node with the labels {sorted(labels)} has neither an id nor a key")


def node_line(reference: Reference, labels: Sequence[str], properties: Mapping[str, Any]) -> bytes:
    """A node's line, without its end. Raises LineError for a value that JSON cannot hold."""
    return dumps({"node": reference, "labels": sorted(labels), "properties": _encoded(properties)})


def edge_line(
    edge_type: str, start: Reference, end: Reference, properties: Mapping[str, Any]
) -> tuple[bytes, bytes]:
    """An edge's place in the order and its line. Raises LineError as `node_line` does."""
    place = dumps([edge_type, start, end, str(properties.get("id", ""))])
    return place, dumps({"edge": edge_type, "from": start, "to": end, "properties": _encoded(properties)})


def parse_line(line: bytes) -> Node | Edge | dict[str, Any]:
    """A line as what it stands for; a header or an end stays a mapping. Raises LineError."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise LineError(f"not JSON: {error.msg}") from None
    if not isinstance(value, dict):
        raise LineError("not a JSON object")
    if "node" in value:
        labels = value.get("labels")
        if not isinstance(labels, list) or not labels or not all(isinstance(x, str) and x for x in labels):
            raise LineError("a node needs labels")
        properties = _decoded(value)
        if reference_of(labels, properties) != value["node"]:
            raise LineError("the reference is not that of the node's properties")
        return Node(value["node"], labels, properties)
    if "edge" in value:
        if not isinstance(value["edge"], str) or not value["edge"]:
            raise LineError("an edge needs a type")
        return Edge(value["edge"], _reference(value, "from"), _reference(value, "to"), _decoded(value))
    return value


def _reference(value: Mapping[str, Any], end: str) -> Reference:
    reference = value.get(end)
    if isinstance(reference, str) and reference:
        return reference
    if isinstance(reference, list) and reference and all(isinstance(part, str) for part in reference):
        return reference
    raise LineError(f"{end!r} is no reference to a node")


def _encoded(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _encode(name, value) for name, value in properties.items()}


def _encode(name: str, value: Any) -> Any:
    if isinstance(value, DateTime):
        text = value.iso_format()
        return {"$datetime": text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text}
    if isinstance(value, Date):
        return {"$date": value.iso_format()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if isinstance(value, list):
        return [_encode(name, item) for item in value]
    if isinstance(value, (str, bool, int, float)):
        return value
    raise LineError(f"the property {name} has a value of the type {type(value).__name__}, which is not known")


def _decoded(value: Mapping[str, Any]) -> dict[str, Any]:
    properties = value.get("properties")
    if not isinstance(properties, dict):
        raise LineError("there are no properties")
    return {name: _decode(name, item) for name, item in properties.items()}


def _decode(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(name, item) for item in value]
    if isinstance(value, dict):
        try:
            ((kind, text),) = value.items()
            match kind:
                case "$datetime":
                    return _datetime(text)
                case "$date":
                    return Date.from_iso_format(text)
                case "$float":
                    return float(text)
        except (ValueError, TypeError):
            pass
        raise LineError(f"the property {name} has a value that is not known")
    if value is None:
        raise LineError(f"the property {name} is null")
    return value


def _datetime(text: str) -> DateTime:
    """An instant; UTC as an offset, as the driver would send its own kind of UTC as the name of a time zone."""
    if text.endswith("Z"):
        return DateTime.from_iso_format(text.removesuffix("Z")).replace(tzinfo=UTC)
    return DateTime.from_iso_format(text)
