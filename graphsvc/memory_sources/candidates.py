"""Candidates: one for each memory file, in a fixed order, with what speaks against it (spec 06)."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from graphsvc.domain.safety import Finding, find_secrets
from graphsvc.memory_sources.config import CONFIDENCE, Adapter, MemoryConfig
from graphsvc.memory_sources.files import MemoryFile, Unread, read_memory_files
from graphsvc.memory_sources.note import read_note

Status = Literal["candidate", "discarded", "unsafe"]
_KEY_SHOWN_CHARS: Final = 12


def candidate_key(source: str, path: str, fact_sha256: str | None) -> str:
    """What identifies a candidate in its repository: SHA-256 over source, path and, if it is kept, the fact's hash."""
    return hashlib.sha256(json.dumps([source, path, fact_sha256 or ""]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may become a claim. `candidate_id` is unique in one run; `key` identifies it for good."""

    source: Adapter
    path: str
    candidate_id: str
    fact: str
    discarded: bool
    findings: tuple[Finding, ...]
    references: tuple[str, ...]
    content_sha256: str

    @property
    def confidence(self) -> float:
        """What its source is worth, 0 to 1."""
        return CONFIDENCE[self.source]

    @property
    def fact_sha256(self) -> str:
        """SHA-256 of the fact's UTF-8 bytes."""
        return hashlib.sha256(self.fact.encode()).hexdigest()

    @property
    def key(self) -> str:
        """See `candidate_key`; without the fact of an unsafe one: a hash can be guessed."""
        return candidate_key(self.source, self.path, None if self.findings else self.fact_sha256)

    @property
    def status(self) -> Status:
        """Only a `candidate` ever links or is drafted."""
        if self.findings:
            return "unsafe"
        return "discarded" if self.discarded else "candidate"


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What one run has read."""

    candidates: tuple[Candidate, ...]
    unread: tuple[Unread, ...]


def ingest(repository: Path, config: MemoryConfig) -> Ingestion:
    """Read the memories of a repository. Raises MemorySourceError."""
    files, unread = read_memory_files(repository, config.sources())
    candidates = [_candidate(file) for file in files]
    shared = {
        name
        for name, count in Counter(candidate.candidate_id for candidate in candidates).items()
        if count > 1
    }
    return Ingestion(
        tuple(
            replace(candidate, candidate_id=f"{candidate.candidate_id}~{candidate.key[:_KEY_SHOWN_CHARS]}")
            if candidate.candidate_id in shared
            else candidate
            for candidate in candidates
        ),
        tuple(unread),
    )


def _candidate(file: MemoryFile) -> Candidate:
    note = read_note(file.text)
    name = PurePosixPath(file.path).stem
    return Candidate(
        source=file.source,
        path=file.path,
        candidate_id=name,
        fact=note.fact or name,
        discarded=note.discarded,
        findings=tuple(find_secrets(file.text)),
        references=note.references,
        content_sha256=file.content_sha256,
    )
