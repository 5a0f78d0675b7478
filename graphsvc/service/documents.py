"""put_document and get_excerpt (spec 05).

A document never changes: another text is another document, so that a reference to one holds for ever.
"""

import hashlib
from contextvars import ContextVar
from typing import Any, Final

from graphsvc.domain.budget import Limit, settle, too_small
from graphsvc.domain.chunks import cut_into_chunks
from graphsvc.domain.framing import json_body
from graphsvc.domain.safety import secret_warning
from graphsvc.errors import Unavailable
from graphsvc.graph import Graph
from graphsvc.models.documents import GetExcerpt, PutDocument
from graphsvc.resolvers.excerpt import LEVELS, Excerpt
from graphsvc.resolvers.excerpt import get_excerpt as read_excerpt
from graphsvc.scope import Scope
from graphsvc.service.call import Call
from graphsvc.service.single import run_single
from graphsvc.service.writing import WriteBatch

_BOOKMARKS: Final[ContextVar[tuple[str, ...]]] = ContextVar("document_bookmarks", default=())
"""What the current request must not be older than; resolvers do not know of it."""


async def put_document(call: Call, request: PutDocument) -> dict[str, Any]:
    """Store a document in the write scope. Outcomes: created, existing (the same text is there), revived."""
    content_sha256 = hashlib.sha256(request.text.encode()).hexdigest()

    async def work(batch: WriteBatch) -> dict[str, Any]:
        row = {
            "index": 0,
            "id": batch.ids.get("doc"),
            "transition_id": batch.ids.get("trn", "document"),
            "title": request.title,
            "mime_type": request.mime_type,
            "content_sha256": content_sha256,
            "size_bytes": len(request.text.encode()),
            "chunks": [
                {
                    "id": batch.ids.get("chk", chunk.position),
                    "position": chunk.position,
                    "start": chunk.start,
                    "end": chunk.end,
                    "text": chunk.text,
                    "sha256": chunk.sha256,
                }
                for chunk in cut_into_chunks(request.text)
            ],
        }
        found = (await batch.run("document/put_documents", [row]))[0]
        return {
            "outcome": found["changed"] or "existing",
            "id": found["id"],
            "content_sha256": content_sha256,
            "chunks": found["chunks"],
            **secret_warning(title=request.title, text=request.text),
        }

    return await run_single(call, "put_document", request, call.principal.write_scope(request.scope), work)


async def get_excerpt(call: Call, request: GetExcerpt) -> str:
    """The body of the answer. Raises NotFound for what is missing, not allowed, foreign or outside of its root.

    Where the budget cannot hold the level asked for, a lower one is shown, at last none; `level` says which.
    """
    if call.resolvers is None:
        raise Unavailable("there are no resolvers here")
    token = _BOOKMARKS.set(call.bookmarks)
    try:
        excerpt = await read_excerpt(
            call.resolvers, request.source_ref, request.level, call.principal.read_scope()
        )
    finally:
        _BOOKMARKS.reset(token)
    limit = Limit(request.budget.unit, request.budget.limit)
    shown: list[tuple[str | None, Excerpt]] = [(request.level, excerpt)]
    if excerpt.excerpt is not None:
        lower = LEVELS[: LEVELS.index(request.level)]
        shown += [(level, excerpt.narrowed(level)) for level in reversed(lower)]
        shown.append((None, excerpt.dropped()))
    used = 0
    for level, candidate in shown:
        accounting = {
            "budget": {},
            "truncated": level != request.level,
            "status": "truncated" if level != request.level else "ok" if candidate.excerpt else "no_match",
        }
        answer = {**candidate.as_answer(), "level": level, "accounting": accounting}
        body = settle(limit, accounting, lambda answer=answer: json_body(answer))  # type: ignore[misc]
        used = limit.used(body)
        if used <= limit.limit:
            return body
    raise too_small(limit, used)


class GraphDocuments:
    """The documents of the graph, as the resolver `graph_doc` reads them. See `resolvers.base.DocumentStore`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def read_document(self, scope: Scope, doc_id: str, chunk_id: str | None) -> bytes | None:
        """The text of a live document (or of one chunk of it) in a visible scope, in UTF-8; else None."""
        rows = await self._graph.read(
            scope, "document/read_document", bookmarks=_BOOKMARKS.get(), id=doc_id, chunk_id=chunk_id
        )
        return "".join(rows[0]["texts"]).encode() if rows and rows[0]["texts"] else None
