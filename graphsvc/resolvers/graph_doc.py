"""Resolver `graph_doc`: a document kept in the graph by `put_document`. Reproducible.

    {"resolver": "graph_doc", "ref": {"doc_id": "doc_0190c2a4", "chunk_id": "chk_0190c2a5"},
     "state": {"content_sha256": "…"}}

It needs no configuration: a document is there for those who may read its scope. `content_sha256` is the hash
of what is addressed: of the chunk, if one is named.
"""

from graphsvc.errors import NotFound
from graphsvc.resolvers.base import Address, DocumentStore, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope


class Ref(Part):
    """Which document, and which chunk of it."""

    doc_id: str
    chunk_id: str | None = None


class GraphDoc:
    """Reads documents of the graph, gated by the scope of the caller."""

    tier: Tier = "reproducible"

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The document's text. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        content = await self._documents.read_document(scope, wanted.doc_id, wanted.chunk_id)
        if content is None:
            raise NotFound
        return ResolvedDocument(content)


def create(setup: Setup) -> GraphDoc | None:
    """The resolver over the documents of this service; off where there are none."""
    return GraphDoc(setup.documents) if setup.documents else None
