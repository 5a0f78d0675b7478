"""source_ref/v1: a pointer from a memory to the document it came from, as an opaque value (spec 05).

The core checks the envelope and the safe limits and stores the RFC 8785 canonical form; what is inside `ref`,
`state`, `locator`, `hashes` and `hints` belongs to the resolvers and comes back unchanged in value. Nothing
here opens anything. The same rules as JSON Schema are in `source_ref_schema.py`.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from graphsvc import limits

SCHEMA_V1: Final = "source_ref/v1"
MINOR_SCHEMA: Final = r"source_ref/v1\.(0|[1-9][0-9]{0,5})"
EXTENSION_PREFIX: Final = "x_"
OBJECT_KEYS: Final = ("ref", "state", "locator", "hashes", "hints")
ENVELOPE_KEYS: Final = frozenset({"schema", "resolver", *OBJECT_KEYS})
EXACT_INTEGER_MAX: Final = 2**53 - 1
"""Above it a whole number has no exact double, and RFC 8785 writes doubles."""

_QUOTE_LIMITS: Final = {
    "exact": limits.SOURCE_REF_QUOTE_EXACT_BYTES_MAX,
    "prefix": limits.SOURCE_REF_QUOTE_AFFIX_BYTES_MAX,
    "suffix": limits.SOURCE_REF_QUOTE_AFFIX_BYTES_MAX,
}
_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_REFUSED_IN_QUOTE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_KEY_SHOWN_CHARS_MAX: Final = 64
_ALLOWED_KEYS: Final = "schema, resolver, ref, state, locator, hashes, hints and those starting with x_"

Location = tuple[str | int, ...]
Found = tuple[Location, str]


class SourceRefError(ValueError):
    """A source_ref that does not fit source_ref/v1; `problems` says where (JSON path) and why."""

    def __init__(self, found: list[Found], root: str = "$") -> None:
        self.locations = found
        self.problems = [(json_path(location, root), reason) for location, reason in found]
        super().__init__("; ".join(f"{path}: {reason}" for path, reason in self.problems))


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A checked source_ref. Equal references are equal texts.

    `canonical` is the RFC 8785 form, the one that is stored and hashed. Made by `parse_source_ref`, or by
    `SourceRef(canonical)` from what the graph holds.
    """

    canonical: str

    @property
    def value(self) -> dict[str, Any]:
        """The reference as plain JSON types; a fresh copy each time, keys in canonical order."""
        value: dict[str, Any] = json.loads(self.canonical, parse_int=_parse_int)
        return value

    @property
    def path(self) -> str | None:
        """`ref.path` as it is written, if there is one that an index can hold."""
        path = self.value["ref"].get("path")
        is_kept = isinstance(path, str) and 0 < len(path.encode()) <= limits.SOURCE_PATH_BYTES_MAX
        return path if is_kept else None

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical form in UTF-8, as 64 lower-case hex digits."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()


def parse_source_ref(value: object, root: str = "$") -> SourceRef:
    """Check a decoded JSON value and return it as a SourceRef.

    `root` is the JSON path of the value in its request, for the messages. Raises SourceRefError naming
    every limit and path (the first limits.SOURCE_REF_PROBLEMS_MAX of them).
    """
    found: list[Found] = []
    for problem in _problems(value):
        found.append(problem)
        if len(found) == limits.SOURCE_REF_PROBLEMS_MAX:
            break
    if found:
        raise SourceRefError(found, root)
    canonical = rfc8785.dumps(_as_doubles(value))
    if len(canonical) > limits.SOURCE_REF_BYTES_MAX:
        raise SourceRefError([((), _too_many_bytes(len(canonical)))], root)
    return SourceRef(canonical.decode())


def json_path(location: Location, root: str = "$") -> str:
    """Write a location as a JSON path: `$.ref.items[0]["odd key"]`; long keys are shortened."""
    path = root
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            path += f".{step}"
        else:
            shown = step if len(step) <= _KEY_SHOWN_CHARS_MAX else step[:_KEY_SHOWN_CHARS_MAX] + "…"
            path += f"[{json.dumps(shown)}]"
    return path


def _problems(value: object) -> Iterator[Found]:
    """Everything wrong with a payload but its size; the envelope first."""
    if not isinstance(value, dict):
        yield (), "must be an object"
        return
    yield from _envelope_problems(value)
    yield from _limit_problems(value)


def _envelope_problems(value: dict[str, object]) -> Iterator[Found]:
    for key in ("schema", "resolver", "ref"):
        if key not in value:
            yield (key,), "is required"
    schema = value.get("schema", SCHEMA_V1)
    minor = isinstance(schema, str) and re.fullmatch(MINOR_SCHEMA, schema) is not None
    if schema != SCHEMA_V1 and not minor:
        yield ("schema",), f"must be {SCHEMA_V1} or a minor version of it ({SCHEMA_V1}.N)"
    if "resolver" in value and not (isinstance(value["resolver"], str) and value["resolver"]):
        yield ("resolver",), "must be a string that is not empty"
    for key in OBJECT_KEYS:
        if key in value and not isinstance(value[key], dict):
            yield (key,), "must be an object"
    if not minor:  # a later minor version may bring keys that this one does not know
        for key in value:
            if isinstance(key, str) and key not in ENVELOPE_KEYS and not key.startswith(EXTENSION_PREFIX):
                yield (key,), f"unknown key; the keys of {SCHEMA_V1} are {_ALLOWED_KEYS}"


def _limit_problems(root: dict[str, object]) -> Iterator[Found]:
    """Walk the payload without recursion; a value takes a byte at least, so the walk ends at that limit."""
    pending: list[tuple[Location, object]] = [((), root)]
    seen = 0
    while pending:
        location, value = pending.pop()
        seen += 1
        if seen > limits.SOURCE_REF_BYTES_MAX:
            yield (), _too_many_bytes(None)
            return
        if isinstance(value, dict | list):
            if len(location) >= limits.SOURCE_REF_DEPTH_MAX:
                yield location, f"nested deeper than {limits.SOURCE_REF_DEPTH_MAX} levels"
            elif len(value) > limits.SOURCE_REF_BYTES_MAX:
                yield (), _too_many_bytes(None)
                return
            elif isinstance(value, dict):
                yield from _key_problems(location, value)
                pending.extend(((*location, key), item) for key, item in reversed(value.items()))
            else:
                pending.extend(((*location, index), item) for index, item in reversed(list(enumerate(value))))
        else:
            yield from ((location, reason) for reason in _scalar_problems(location, value))


def _key_problems(location: Location, value: dict[Any, object]) -> Iterator[Found]:
    if len(value) > limits.SOURCE_REF_KEYS_PER_OBJECT_MAX:
        yield location, f"has {len(value)} keys; an object may have {limits.SOURCE_REF_KEYS_PER_OBJECT_MAX}"
    for key in value:
        if not isinstance(key, str):
            yield location, "keys must be strings"
        elif reason := _text_problem(key, _REFUSED):
            yield (*location, key), f"key {reason}"


def _scalar_problems(location: Location, value: object) -> Iterator[str]:
    if isinstance(value, str):
        quote_part = location[2] if len(location) == 3 and location[:2] == ("locator", "quote") else None
        limit = _QUOTE_LIMITS.get(quote_part) if isinstance(quote_part, str) else None
        if reason := _text_problem(value, _REFUSED_IN_QUOTE if limit else _REFUSED):
            yield reason
        elif limit and (size := len(value.encode())) > limit:
            yield f"has {size} bytes; the limit is {limit}"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield "numbers must be finite"
    elif isinstance(value, int):  # bool is an int, and always small
        if not _is_exact(value):
            yield f"whole numbers beyond ±{EXACT_INTEGER_MAX} would change in value; write it as a string"
    elif value is not None:
        yield "is not a JSON value"


def _text_problem(text: str, refused: re.Pattern[str]) -> str | None:
    if len(text) > limits.SOURCE_REF_BYTES_MAX:
        return f"is longer than the {limits.SOURCE_REF_BYTES_MAX} bytes of the whole reference"
    found = refused.search(text)
    if found is None:
        return None
    if "\ud800" <= found[0] <= "\udfff":
        return "has a lone surrogate, which no Unicode text may hold"
    return f"has the control character U+{ord(found[0]):04X}"


def _is_exact(value: int) -> bool:
    """Whether RFC 8785 can write this whole number without changing it."""
    if abs(value) <= EXACT_INTEGER_MAX:
        return True
    try:
        return int(rfc8785.dumps(float(value))) == value
    except (OverflowError, ValueError):  # beyond a double, or written with an exponent
        return False


def _as_doubles(value: Any) -> Any:
    """The same payload with the large whole numbers as the doubles that they are."""
    if isinstance(value, dict):
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_doubles(item) for item in value]
    if isinstance(value, int) and abs(value) > EXACT_INTEGER_MAX:
        return float(value)
    return value


def _parse_int(digits: str) -> int | float:
    number = int(digits)
    return number if abs(number) <= EXACT_INTEGER_MAX else float(digits)


def _too_many_bytes(size: int | None) -> str:
    has = f"has {size} bytes" if size is not None else "is too large"
    return f"{has}; a reference may have {limits.SOURCE_REF_BYTES_MAX} in canonical JSON"
