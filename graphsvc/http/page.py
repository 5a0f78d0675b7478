"""The page at `/`: what runs here, and a search to try. One static file without an external host (spec 09).

It holds nothing stored and needs no token to be looked at; a search on it uses the token that is typed into it.
"""

import base64
import hashlib
import html
import re
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

_INLINE: Final = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


class Page:
    """Answers with the page. Only its own script and style may run, and they may call this service only."""

    def __init__(self, browser_url: str | None) -> None:
        source = (files("graphsvc.http") / "page.html").read_text(encoding="utf-8")
        self._html = source.replace(
            'data-browser-url=""', f'data-browser-url="{html.escape(browser_url or "")}"'
        )
        hashes = {kind: _sha256(text) for kind, text in _INLINE.findall(source)}
        self._policy = (
            f"default-src 'none'; script-src '{hashes['script']}'; style-src '{hashes['style']}'; connect-src 'self'; "
            "img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        )

    async def answer(self, _request: Request) -> Response:
        """The page."""
        return HTMLResponse(self._html, headers={"Content-Security-Policy": self._policy})


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
