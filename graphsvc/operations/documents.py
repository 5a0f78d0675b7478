"""Documents and excerpts (spec 05): a part of the table in `operations/__init__.py`."""

from typing import Final

from graphsvc.models import documents
from graphsvc.operations.operation import Operation
from graphsvc.service import documents as documents_service

DOCUMENT_OPERATIONS: Final = (
    Operation(
        "put_document",
        "documents",
        "write",
        documents.PutDocument,
        documents.DocumentAnswer,
        documents_service.put_document,
        example={
            "scope": "project:atlas",
            "title": "Suppliers",
            "text": "# Suppliers\n\nAcme Print offers same-day turnaround.\n",
            "mime_type": "text/markdown",
        },
    ),
    Operation(
        "get_excerpt",
        "documents",
        "read",
        documents.GetExcerpt,
        documents.ExcerptAnswer,
        documents_service.get_excerpt,
        example={
            "source_ref": {
                "schema": "source_ref/v1",
                "resolver": "graph_doc",
                "ref": {"doc_id": "doc_01890a5d"},
                "locator": {"quote": {"exact": "same-day turnaround"}},
            },
            "level": "L1",
        },
    ),
)
