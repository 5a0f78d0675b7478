"""Input schemas of the tools, made from the requests of the operations they cover.

Flat, as many clients refuse a choice at the root; short, as every agent reads them; without patterns, as not every
client's dialect of them is ours. The service checks all that is left out here, and says what is wrong.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from graphsvc import limits
from graphsvc.mcp.tools import TOOLS, Tool, required_fields

Schema = dict[str, Any]

_NOISE: Final = frozenset(
    {"title", "pattern", "examples", "minLength", "maxLength", "discriminator", "additionalProperties"}
)
_SOURCE_REF: Final[Schema] = {
    "type": "object",
    "description": "A source_ref/v1: the document that this comes from. Leave out what was said, not read.",
}
_BESIDE: Final[Schema] = {
    "type": "string",
    "description": "The `bookmark` of an earlier answer: this call then sees that write.",
    "maxLength": 4_096,
}
_IDEMPOTENCY_KEY: Final[Schema] = {
    "type": "string",
    "description": "Any text of your own: repeated with the same fields, the call is carried out once.",
    "maxLength": limits.IDEMPOTENCY_KEY_CHARS_MAX,
}


@cache
def input_schema(tool_name: str) -> Schema:
    """The JSON schema of a tool's arguments."""
    tool = TOOLS[tool_name]
    uses: dict[str, dict[str, Schema]] = {}
    for name, operation in tool.operations.items():
        schema = operation.request.model_json_schema()
        for field, field_schema in schema["properties"].items():
            uses.setdefault(field, {})[name] = plain(field_schema, schema.get("$defs", {}))
    properties: Schema = {"operation": _operation(tool)}
    for field, by_operation in uses.items():
        properties[field] = _property(by_operation, everywhere=len(by_operation) == len(tool.operations))
    if not tool.reads:
        properties["idempotency_key"] = _IDEMPOTENCY_KEY
    properties["bookmark"] = _BESIDE
    needed = [set(required_fields(operation)) for operation in tool.operations.values()]
    required = ["operation"] if tool.must_name_operation() else []
    return {
        "type": "object",
        "properties": properties,
        "required": required + sorted(set.intersection(*needed) if needed else ()),
        "additionalProperties": False,
    }


def _operation(tool: Tool) -> Schema:
    what = (
        "Which operation to carry out."
        if tool.must_name_operation()
        else "Which operation to carry out; may be left out where the other fields say it."
    )
    return {"type": "string", "enum": list(tool.operations), "description": what}


def _property(by_operation: Mapping[str, Schema], *, everywhere: bool) -> Schema:
    distinct: list[Schema] = []
    for schema in by_operation.values():
        if schema not in distinct:
            distinct.append(schema)
    merged: Schema = dict(distinct[0]) if len(distinct) == 1 else {"anyOf": distinct}
    if not everywhere:
        about = f"For {', '.join(by_operation)}."
        merged["description"] = f"{about} {merged['description']}" if "description" in merged else about
    return merged


def plain(schema: Any, definitions: Mapping[str, Schema]) -> Any:
    """A schema with its references filled in and what only clutters left out."""
    if isinstance(schema, list):
        return [plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        found = _SOURCE_REF if name.startswith("SourceRef") else plain(definitions[name], definitions)
        return found | plain(beside, definitions)
    kept: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            kept[key] = {name: plain(item, definitions) for name, item in value.items()}
        elif key in {"anyOf", "oneOf"}:
            choices: list[Schema] = [plain(item, definitions) for item in value if item != {"type": "null"}]
            if len(choices) == 1:
                kept = choices[0] | kept
            else:
                kept.update(anyOf=choices)
        elif key not in _NOISE and not (key == "default" and value is None):
            kept[key] = plain(value, definitions)
    return kept
