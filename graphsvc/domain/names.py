"""Names and their keys: the only place that decides when two names are the same (spec 01, 02, 04)."""

import hashlib
import unicodedata
from typing import Final

import regex

from graphsvc import limits

_SPACES: Final = regex.compile(r"\s+")
_CONTROL: Final = regex.compile(r"[\p{Cc}\p{Cs}]")
_LINE_SPACE: Final = regex.compile(r"[\t\n\r\v\f\x1c-\x1f\x85]+")
_NOT_KEY: Final = regex.compile(r"[^\p{L}\p{N}\p{M}+#]+")
_POSSESSIVE: Final = regex.compile(r"(?<=[\p{L}\p{N}\p{M}])['’]s(?![\p{L}\p{N}\p{M}])")
_TYPE_BREAK: Final = regex.compile(r"[\s\-‐‑‒–—_]+")


def display_text(text: str) -> str:
    """The text as kept for display: tabs and line breaks become spaces, ends trimmed; otherwise as typed."""
    return str(_LINE_SPACE.sub(" ", text)).strip()


def check_display_text(text: str, chars_max: int) -> str:
    """A name, alias or kind fit for storing, or ValueError naming what is wrong."""
    shown = display_text(text)
    if not shown:
        raise ValueError("must not be empty")
    if len(shown) > chars_max:
        raise ValueError(f"must have at most {chars_max} characters, has {len(shown)}")
    if _CONTROL.search(shown):
        raise ValueError("must not contain control characters or lone surrogates")
    if not name_key(shown):
        raise ValueError("must not be blank")
    return shown


def check_name(text: str) -> str:
    """A name or alias fit for storing (1–256 characters, no control characters), or ValueError."""
    return check_display_text(text, limits.NAME_CHARS_MAX)


def collapse(text: str) -> str:
    """White space runs to one space, ends trimmed; nothing else changes."""
    return str(_SPACES.sub(" ", text)).strip()


def name_key(name: str) -> str:
    """The form under which a name is unique: NFKC, casefold, white space collapsed. Punctuation is kept."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return collapse(unicodedata.normalize("NFKC", folded))


def pointer_key(text: str) -> str:
    """The normalized key of entity pointers: as `name_key`, but all except letters, digits, marks, + and # is space,
    and a possessive 's is dropped."""
    return str(_NOT_KEY.sub(" ", _POSSESSIVE.sub("", name_key(text)))).strip()


def relation_type_key(relation_type: str) -> str:
    """The key under which a relation type is one: casefold, spaces and dashes to `_`."""
    return str(_TYPE_BREAK.sub("_", name_key(relation_type))).strip("_") or name_key(relation_type)


def observation_fold(text: str) -> str:
    """The form under which two observation texts of one entity are the same: NFKC, white space folded, case kept."""
    return collapse(unicodedata.normalize("NFKC", text))


def content_key(*parts: str) -> str:
    """A short fixed-size key of several texts (SHA-256, hex), for uniqueness constraints on long values."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
