"""Requests and answers of documents and excerpts (spec 05, 12)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from graphsvc import limits
from graphsvc.domain.names import check_display_text
from graphsvc.domain.source_ref_schema import SourceRefField
from graphsvc.models.common import Answer, SingleWrite
from graphsvc.models.reads import Framing, ReadRequest
from graphsvc.models.writes import check_text


def _check_document(text: str) -> str:
    if len(text.encode(errors="surrogatepass")) > limits.DOCUMENT_BYTES_MAX:
        raise ValueError(f"has more than {limits.DOCUMENT_BYTES_MAX} bytes in UTF-8")
    return check_text(text)


class PutDocument(SingleWrite):
    """Store a text as a document, addressed by its hash; it makes no observation and no claim."""

    title: Annotated[
        str,
        AfterValidator(lambda text: check_display_text(text, limits.DOCUMENT_TITLE_CHARS_MAX)),
        Field(min_length=1, examples=["Suppliers"]),
    ]
    text: Annotated[
        str,
        StringConstraints(min_length=1, max_length=limits.DOCUMENT_BYTES_MAX),
        AfterValidator(_check_document),
        Field(examples=["# Suppliers\n\nAcme Print offers same-day turnaround.\n"]),
    ]
    mime_type: Annotated[
        str,
        StringConstraints(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+\-]{0,62}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+\-]{0,62}$"
        ),
        Field(examples=["text/markdown"]),
    ] = "text/plain"


class GetExcerpt(ReadRequest):
    """The passage of a document that a source_ref points to, verified as far as its hashes and state go."""

    source_ref: SourceRefField
    level: Literal["L0", "L1", "L2"] = Field(
        default="L1", description="At most 256 bytes, 8 KiB or 32 KiB of the document."
    )


class ChunkAddress(Answer):
    """A chunk of a document: `start` and `end` count UTF-8 bytes of the whole."""

    id: str
    start: int
    end: int
    sha256: str


class DocumentAnswer(Answer):
    """What became of the document, and how it and its chunks are addressed."""

    outcome: str
    id: str
    content_sha256: str
    chunks: list[ChunkAddress]
    request_id: str
    bookmark: str


class ExcerptAnswer(Answer):
    """The excerpt, how it was found and what was verified."""

    framing: Framing
    excerpt: str | None
    span: dict[str, Any] | None
    selector: str | None
    tier: str | None
    verified: bool
    problems: list[str]
    content_sha256: str | None
    excerpt_sha256: str | None
