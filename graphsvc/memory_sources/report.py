"""The report of an ingestion: JSON for programs, lines for people; the same bytes on every machine (spec 06).

The secret of an unsafe candidate is in its fact or near it, so neither the fact nor its hash is shown. Without
`knowledge_entities` the report has no field that tells of it.
"""

import json
import unicodedata
from collections import Counter
from typing import Any, Final

from graphsvc.memory_sources.candidates import Candidate, Ingestion
from graphsvc.memory_sources.config import MemoryConfig
from graphsvc.memory_sources.supports import NOTICE, EvidenceKind, MemoryRelation, Support

REPORT_VERSION: Final = 1
STATUSES: Final = ("candidate", "discarded", "unsafe")


def as_json(config: MemoryConfig, ingestion: Ingestion, support: Support | None = None) -> dict[str, Any]:
    """The report as plain JSON types. `support` only if knowledge entities are asked for."""
    counts = Counter(candidate.status for candidate in ingestion.candidates)
    report: dict[str, Any] = {
        "version": REPORT_VERSION,
        "sources": [{"adapter": adapter, "directory": directory} for adapter, directory in config.sources()],
        "candidates": [_candidate(candidate) for candidate in ingestion.candidates],
        "unread": [unread._asdict() for unread in ingestion.unread],
        "counts": {**{status: counts[status] for status in STATUSES}, "unread": len(ingestion.unread)},
    }
    if support is not None:
        if support.relations:
            report["memory_relations"] = [relation.as_json() for relation in support.relations]
            report["memory_relations_notice"] = NOTICE
        report["coverage"] = [support.coverage.as_json()]
    return report


def to_bytes(report: dict[str, Any]) -> bytes:
    """JSON in ASCII, so that no locale and no terminal changes it."""
    return json.dumps(report, indent=2, ensure_ascii=True).encode("ascii") + b"\n"


def to_lines(report: dict[str, Any]) -> list[str]:
    """The report for people. Control characters of what was read are shown as escapes."""
    lines = []
    for candidate in report["candidates"]:
        lines.append(f"{candidate['status']:<10} {candidate['source']}  {candidate['path']}")
        lines += [
            f"           {finding['kind']} in line {finding['line']}" for finding in candidate["findings"]
        ]
        if "fact" in candidate:
            lines.append(f"           {candidate['fact']}")
    lines += [
        f"unread     {unread['source']}  {unread['path']}: {unread['reason']}" for unread in report["unread"]
    ]
    for relation in report.get("memory_relations", []):
        evidence = relation["evidence"]
        lines.append(
            f"supports   {relation['candidate_id']} -> {relation['target']} by {evidence['kind']} {evidence['value']}"
        )
    if "memory_relations_notice" in report:
        lines.append(report["memory_relations_notice"])
    for coverage in report.get("coverage", []):
        reason = f": {coverage['reason']}" if coverage["reason"] else ""
        lines.append(f"coverage   {coverage['analyzer']} {coverage['status']}{reason}")
    lines.append(", ".join(f"{count} {status}" for status, count in report["counts"].items()))
    return [_printable(line) for line in lines]


def read_relations(report: bytes) -> list[MemoryRelation]:
    """The relations of an earlier report. Raises ValueError for what is no report."""
    try:
        return [_relation(entry) for entry in json.loads(report).get("memory_relations", [])]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("is not a report of graphsvc ingest --json") from error


def _candidate(candidate: Candidate) -> dict[str, Any]:
    fact: dict[str, Any] = {}
    if not candidate.findings:
        fact = {"fact": candidate.fact, "fact_sha256": candidate.fact_sha256}
    return {
        "candidate_id": candidate.candidate_id,
        "key": candidate.key,
        "source": candidate.source,
        "path": candidate.path,
        "status": candidate.status,
        **fact,
        "confidence": candidate.confidence,
        "findings": [finding._asdict() for finding in candidate.findings],
    }


def _relation(entry: dict[str, Any]) -> MemoryRelation:
    evidence: dict[str, str] = entry["evidence"]
    kind: EvidenceKind = evidence["kind"]  # type: ignore[assignment] # as it was written
    return MemoryRelation(
        candidate_id=str(entry["candidate_id"]),
        target=str(entry["target"]),
        value=str(evidence["value"]),
        kind=kind,
        raw_path=str(evidence["raw_path"]),
        fact_sha256=str(evidence["fact_sha256"]),
    )


def _printable(line: str) -> str:
    """Control characters and direction marks as escapes: a memory may not write to the terminal."""
    return "".join(
        repr(character)[1:-1]
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else character
        for character in line
    )
