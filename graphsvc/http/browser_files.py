"""What Neo4j Browser fetches from the service: a style for the graph and a guide with the ready queries (spec 10).

Both are the same for everybody and hold nothing stored. They alone may be read by pages of other origins, because the
page of Neo4j Browser is one.
"""

from html import escape
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from graphsvc.queries import BrowserQuery, cypher_root, load_browser_queries

READABLE_BY_ALL: Final = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
_SLIDE: Final = """    <slide class="row-fluid">
      <div class="col-sm-4">
        <h3>{title}</h3>
        <p>{explanation}</p>
        {parameters}
      </div>
      <div class="col-sm-8">
        <figure><pre class="pre-scrollable code runnable">{source}</pre></figure>
      </div>
    </slide>"""


class BrowserFiles:
    """Answers with the style and the guide."""

    def __init__(self, service_url: str | None) -> None:
        self._style = (cypher_root() / "browser" / "style.grass").read_text(encoding="utf-8")
        frame = (files("graphsvc.http") / "guide.html").read_text(encoding="utf-8")
        slides = "\n".join(slide(query) for query in load_browser_queries().values())
        frame = frame.replace("{service_url}", escape(service_url or ""))
        self._guide = frame.replace("<!-- queries -->", slides)

    async def style(self, _request: Request) -> Response:
        """The style sheet, for `:style`."""
        return PlainTextResponse(self._style, headers=READABLE_BY_ALL)

    async def guide(self, _request: Request) -> Response:
        """The guide, for `:play`."""
        return HTMLResponse(self._guide, headers=READABLE_BY_ALL)


def slide(query: BrowserQuery) -> str:
    """One page of the guide."""
    terms = "".join(
        f"<li><code>{escape(name)}</code>: {escape(meaning)}</li>"
        for name, meaning in query.parameters.items()
    )
    return _SLIDE.format(
        title=escape(query.title),
        explanation=escape(query.explanation),
        parameters=f"<p>To change:</p><ul>{terms}</ul>" if terms else "",
        source=escape(_without_header(query.source)),
    )


def _without_header(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if not line.startswith("//"))
