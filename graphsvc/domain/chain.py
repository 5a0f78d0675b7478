"""The hash chain over a scope's transitions: what an entry is, what its seal covers (spec 08). Pure.

An entry's own words (before, after, source) are bound by a salted digest only, so that they can be erased, salt and
all, without breaking the chain; everything else is under the seal itself. The seal is an HMAC: whoever has the database
but not the key can neither alter an entry nor add one unseen.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

KEY_BYTES: Final = 32
_CHAIN_FIELDS: Final = frozenset({"seq", "salt", "content_sha256", "seal", "unsealed"})
_CONTENT_PREFIXES: Final = ("before_", "after_")
_CONTENT_FIELDS: Final = frozenset({"source_ref"})


@dataclass(frozen=True, slots=True)
class Seal:
    """What the chain adds to an entry."""

    seq: int
    salt: str
    content_sha256: str
    seal: str


def is_content(name: str) -> bool:
    """Whether a property of a transition is its content, which may be erased."""
    return name.startswith(_CONTENT_PREFIXES) or name in _CONTENT_FIELDS


def plain(value: Any) -> Any:
    """A stored value as JSON has it: times as ISO 8601, lists item by item."""
    if hasattr(value, "iso_format"):
        return value.iso_format()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def canonical(properties: Mapping[str, Any]) -> bytes:
    """Properties in one spelling; what is null is not there."""
    return orjson.dumps(
        {name: plain(value) for name, value in properties.items() if value is not None},
        option=orjson.OPT_SORT_KEYS,
    )


def content_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a transition."""
    return {name: value for name, value in entry.items() if is_content(name)}


def content_digest(entry: Mapping[str, Any], salt: str) -> str:
    """The salted digest of a transition's content."""
    return hashlib.sha256(bytes.fromhex(salt) + canonical(content_of(entry))).hexdigest()


def seal_of(key: bytes, before: str, seq: int, entry: Mapping[str, Any], content_sha256: str) -> str:
    """The seal of an entry that stands at this place behind that seal."""
    bound = {
        name: value for name, value in entry.items() if name not in _CHAIN_FIELDS and not is_content(name)
    }
    message = b"\n".join([before.encode(), str(seq).encode(), content_sha256.encode(), canonical(bound)])
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def seal_entry(key: bytes, before: str, seq: int, entry: Mapping[str, Any]) -> Seal:
    """Seal an entry at this place."""
    salt = secrets.token_hex(16)
    digest = content_digest(entry, salt)
    return Seal(seq, salt, digest, seal_of(key, before, seq, entry, digest))


def key_id(key: bytes) -> str:
    """Which key it is, without giving it away."""
    return hashlib.sha256(b"audit key" + key).hexdigest()[:12]
