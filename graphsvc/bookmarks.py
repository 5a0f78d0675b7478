"""Bookmarks as clients see them: sealed, so that they say nothing about other transactions (spec 09)."""

import base64
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import orjson
from cryptography.fernet import Fernet, InvalidToken

from graphsvc.errors import InvalidRequest, Problem


def service_secret(file: Path) -> bytes:
    """The secret of this home, made on first use (mode 0600). Replicas share one by `GRAPHSVC_SECRET`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "wb") as opened:
            opened.write(base64.b64encode(os.urandom(32)))
    return file.read_bytes()


class BookmarkSeal:
    """Seals driver bookmarks into opaque texts and opens them again."""

    def __init__(self, secret: bytes) -> None:
        self._fernet = Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"bookmark" + secret).digest()))

    def seal(self, bookmarks: Sequence[str]) -> str:
        """One opaque text for these bookmarks."""
        return self._fernet.encrypt(orjson.dumps(list(bookmarks))).decode()

    def open(self, sealed: str) -> tuple[str, ...]:
        """The bookmarks inside. Raises InvalidRequest for a text that was not sealed here."""
        try:
            values = orjson.loads(self._fernet.decrypt(sealed.encode("ascii", "replace")))
        except (InvalidToken, ValueError) as error:
            raise InvalidRequest(
                problems=[Problem("header X-Bookmark", "is not a bookmark of this service")]
            ) from error
        return tuple(values)
