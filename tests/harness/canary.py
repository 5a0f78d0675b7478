"""Canaries: a token in every text of a scope that must never reach those who may not see the scope.

Tokens are lower-case letters and digits, so that folding, escaping and quoting leave them as they are. A scan also
looks for them in base64 (cursors) and in any case.
"""

import base64
import os
from collections.abc import Iterable
from dataclasses import dataclass, field

import httpx

from tests.harness.tally import TALLY

_LETTERS_ONLY = str.maketrans("0123456789", "ghijklmnop")


def _needles(token: str) -> list[bytes]:
    """The token itself, and the parts of its base64 forms that do not depend on their neighbours."""
    found = [token.encode()]
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + token.encode() + b"\0\0").rstrip(b"=")
        found.append(text[(0, 2, 3)[offset] : len(text) - 4])
    return found


@dataclass
class Canaries:
    """One token a scope."""

    tokens: dict[str, str] = field(default_factory=dict)
    run: str = field(default_factory=lambda: os.urandom(4).hex().translate(_LETTERS_ONLY))
    """Letters only, so that every run's tokens are cut into the same number of words."""

    def of(self, scope: str) -> str:
        """The token of this scope."""
        return self.tokens.setdefault(scope, f"kanari{self.run}q{len(self.tokens):02d}z")

    def found(self, data: bytes, visible: Iterable[str]) -> list[str]:
        """The scopes outside `visible` whose token is in these bytes."""
        TALLY["bytes scanned for canaries"] += len(data)
        allowed = set(visible)
        folded = data.lower()
        return [
            scope
            for scope, token in self.tokens.items()
            if scope not in allowed
            and (token.encode() in folded or any(needle in data for needle in _needles(token)[1:]))
        ]

    def check(self, response: httpx.Response, visible: Iterable[str]) -> None:
        """Fail if any byte of the body, the headers or the status line holds a foreign token."""
        headers = b"\n".join(name + b": " + value for name, value in response.headers.raw)
        leaked = self.found(response.content + b"\n" + headers, visible)
        TALLY["foreign canaries found"] += len(leaked)
        assert not leaked, f"{response.request.url} shows {leaked}: {response.text[:500]}"
