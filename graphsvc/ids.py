"""Ids: opaque, stable, sortable by creation, never reused (spec 01). UUIDv7 behind a short prefix of the kind."""

import re
from typing import Final, Literal

from uuid_utils import uuid7

Kind = Literal[
    "ent",
    "obs",
    "rel",
    "als",
    "trn",
    "tok",
    "task",
    "note",
    "lnk",
    "doc",
    "chk",
    "clm",
    "pol",
    "fact",
    "dec",
    "app",
    "cand",
    "sup",
    "req",
    "load",
]

_ID: Final = re.compile(
    r"(ent|obs|rel|als|trn|tok|task|note|lnk|doc|chk|clm|pol|fact|dec|app|cand|sup|req|load)_[0-9a-f]{32}"
)


def new_id(kind: Kind) -> str:
    """A new id of this kind; later ids of one process sort after earlier ones."""
    return f"{kind}_{uuid7().hex}"


def is_id(text: str, kind: Kind | None = None) -> bool:
    """Whether the text has the form of an id (of this kind)."""
    return bool(_ID.fullmatch(text)) and (kind is None or text.startswith(f"{kind}_"))
