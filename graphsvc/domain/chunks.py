"""Cutting a document into chunks: the same text is always cut in the same places (spec 05). Pure."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from graphsvc import limits


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document. `start` and `end` count UTF-8 bytes of the whole; all pieces together are the whole."""

    position: int
    start: int
    end: int
    text: str

    @property
    def sha256(self) -> str:
        """SHA-256 of its UTF-8 bytes."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def cut_into_chunks(text: str, bytes_max: int = limits.CHUNK_BYTES_MAX) -> Iterator[Chunk]:
    """Chunks of at most `bytes_max` bytes (4 or more): whole paragraphs if possible, else lines, else characters."""
    content = text.encode()
    start = position = 0
    while start < len(content):
        end = _end_of_chunk(content, start, bytes_max)
        yield Chunk(position, start, end, content[start:end].decode())
        start, position = end, position + 1


def _end_of_chunk(content: bytes, start: int, bytes_max: int) -> int:
    end = start + bytes_max
    if end >= len(content):
        return len(content)
    half = start + bytes_max // 2
    for mark in (b"\n\n", b"\n"):
        found = content.rfind(mark, half, end)
        if found >= 0:
            return found + len(mark)
    while content[end] & 0b1100_0000 == 0b1000_0000:  # inside a character
        end -= 1
    return end
