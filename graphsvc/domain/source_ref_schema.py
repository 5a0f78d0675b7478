"""source_ref/v1 as JSON Schema, and as a field of request models (spec 05).

One description serves both `docs/schemas/source_ref-v1.schema.json` and OpenAPI. What JSON Schema cannot say
is left to `parse_source_ref`: the size in bytes of the whole and of quotes (the schema counts characters),
and whole numbers that no double holds.
"""

import json
from collections.abc import Callable
from typing import Annotated, Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, ValidationError, core_schema

from graphsvc import limits
from graphsvc.domain.source_ref import (
    EXTENSION_PREFIX,
    MINOR_SCHEMA,
    OBJECT_KEYS,
    SCHEMA_V1,
    SourceRef,
    SourceRefError,
    parse_source_ref,
)

JsonSchema = dict[str, Any]
Define = Callable[[str, JsonSchema], JsonSchema]
"""Files a schema under a name and gives back the `$ref` to it."""

SCHEMA_URI: Final = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID: Final = "urn:graphsvc:schema:source_ref:v1"
_CONTROL: Final = {"pattern": r"[\u0000-\u001f\u007f-\u009f]"}
_QUOTE_CONTROL: Final = {"pattern": r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]"}

EXAMPLE: Final[JsonSchema] = {
    "schema": SCHEMA_V1,
    "resolver": "fs_git",
    "ref": {"repo": "handbook", "path": "docs/suppliers.md"},
    "state": {"commit_sha": "9f2c1e5a7b3d4f60812a9c5e7d1b3f4a6c8e0d2b"},
    "locator": {
        "quote": {"exact": "same-day turnaround", "prefix": "offers ", "suffix": "."},
        "text_position": {"start": 120, "end": 139, "unit": "utf8_bytes"},
        "line_range": {"start": 7, "end": 7},
        "heading": "Suppliers",
    },
    "hashes": {"content_sha256": "5b1f6c0c2a7ff3d1a2c41d7d5a0a5fcd3f0c9f5e5e0a4b7c6d8e9f0a1b2c3d4e"},
    "hints": {"title": "Suppliers", "mime_type": "text/markdown"},
}


def published_schema() -> JsonSchema:
    """The self-contained schema that is published for other programs."""
    definitions: JsonSchema = {}

    def define(name: str, schema: JsonSchema) -> JsonSchema:
        definitions[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    envelope = _envelope(define)
    head = {"$schema": SCHEMA_URI, "$id": SCHEMA_ID, "title": SCHEMA_V1}
    return {**head, **envelope, "$defs": dict(sorted(definitions.items()))}


def published_text() -> str:
    """The text of `docs/schemas/source_ref-v1.schema.json`."""
    return json.dumps(published_schema(), indent=2) + "\n"


def _envelope(define: Define) -> JsonSchema:
    inner = define("SourceRefObject", _object(_value(define, 3)))
    quote_part = {"type": "string", "not": _QUOTE_CONTROL}
    affix = {**quote_part, "maxLength": limits.SOURCE_REF_QUOTE_AFFIX_BYTES_MAX}
    quote_parts = {
        "exact": {**quote_part, "maxLength": limits.SOURCE_REF_QUOTE_EXACT_BYTES_MAX},
        "prefix": affix,
        "suffix": affix,
    }
    level_4 = _value(define, 4)
    quote = {
        "maxProperties": limits.SOURCE_REF_KEYS_PER_OBJECT_MAX,
        "propertyNames": {"not": _CONTROL},
        "properties": {
            part: {"anyOf": [schema, _not_a_string(level_4)]} for part, schema in quote_parts.items()
        },
        "additionalProperties": level_4,
    }
    level_3 = _value(define, 3)
    locator = {
        **_object(level_3),
        "properties": {"quote": {"anyOf": [{"type": "object", **quote}, _not_an_object(level_3)]}},
    }
    known: JsonSchema = {
        "schema": {"type": "string", "pattern": f"^(?:{SCHEMA_V1}|{MINOR_SCHEMA})$", "not": _CONTROL},
        "resolver": {"type": "string", "minLength": 1, "not": _CONTROL},
        **dict.fromkeys(OBJECT_KEYS, inner),
        "locator": define("SourceRefLocator", locator),
    }
    return {
        "description": (
            "A pointer to the document that a memory came from, as canonical JSON (RFC 8785) of at most "
            f"{limits.SOURCE_REF_BYTES_MAX} bytes and {limits.SOURCE_REF_DEPTH_MAX} levels; "
            "quotes are limited in bytes."
        ),
        "type": "object",
        "required": ["schema", "resolver", "ref"],
        "maxProperties": limits.SOURCE_REF_KEYS_PER_OBJECT_MAX,
        "properties": known,
        "propertyNames": {"not": _CONTROL},
        "additionalProperties": _value(define, 2),
        "if": {"properties": {"schema": {"const": SCHEMA_V1}}},
        "then": {"propertyNames": {"anyOf": [{"enum": sorted(known)}, {"pattern": f"^{EXTENSION_PREFIX}"}]}},
        "examples": [EXAMPLE],
    }


def _value(define: Define, level: int) -> JsonSchema:
    """Any JSON value whose objects and arrays would stand at `level`."""
    scalars: list[JsonSchema] = [
        {"type": ["number", "boolean", "null"]},
        {"type": "string", "not": _CONTROL},
    ]
    if level > limits.SOURCE_REF_DEPTH_MAX:
        return define("SourceRefScalar", {"anyOf": scalars})
    deeper = _value(define, level + 1)
    containers = [_object(deeper), {"type": "array", "items": deeper}]
    return define(f"SourceRefLevel{level}", {"anyOf": [*scalars, *containers]})


def _object(value: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "maxProperties": limits.SOURCE_REF_KEYS_PER_OBJECT_MAX,
        "propertyNames": {"not": _CONTROL},
        "additionalProperties": value,
    }


def _not_a_string(value: JsonSchema) -> JsonSchema:
    return {"not": {"type": "string"}, "allOf": [value]}


def _not_an_object(value: JsonSchema) -> JsonSchema:
    return {"not": {"type": "object"}, "allOf": [value]}


class _SourceRefType:
    """Teaches pydantic to take a source_ref as JSON, to hold a SourceRef, and to give the JSON back."""

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _validate,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda ref: ref.value),
        )

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        def define(name: str, schema: JsonSchema) -> JsonSchema:
            # A named schema is filed only as part of another one: it is asked for as the items of a list.
            named = core_schema.any_schema(ref=name, metadata={"pydantic_js_updates": schema})
            reference: JsonSchema = handler(core_schema.list_schema(named))["items"]
            return reference

        return define("SourceRef", _envelope(define))


def _validate(value: object) -> SourceRef:
    if isinstance(value, SourceRef):
        return value
    try:
        return parse_source_ref(value)
    except SourceRefError as error:
        # Raised inside a validator, its lines become lines of the request's error, each at its own place.
        lines = [
            InitErrorDetails(
                type=PydanticCustomError("source_ref", "{reason}", {"reason": reason}),
                loc=location,
                input=None,
            )
            for location, reason in error.locations
        ]
        raise ValidationError.from_exception_data("SourceRef", lines) from error


SourceRefField = Annotated[SourceRef, _SourceRefType()]
"""A source_ref in a request or response model: JSON outside, SourceRef inside."""
