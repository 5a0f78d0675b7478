"""Is the database as it should be? Versions, schema, indexes, and what must hold of the graph (spec 10).

Each thing that must hold of the graph is a query in `cypher/doctor/`, whose first line says what is found. The doctor
changes nothing; what to do about a finding stands beside it.
"""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from graphsvc.graph import Graph
from graphsvc.queries import Q
from graphsvc.schema import SCHEMA_VERSION, schema_statements

_EXAMPLES: Final = 10
_NEO4J_MIN: Final = (5, 26, 21)
"""Earlier ones write values of failed queries to their log (CVE-2026-1622)."""

_RESTORE: Final = (
    "Restore the last backup that is sound, or mend these by hand in Neo4j Browser; see docs/operators.md."
)
_AUDIT: Final = (
    "Run `graphsvc audit verify`: somebody may have changed the database behind the service's back."
)
_REINDEX: Final = "Retire and revive the entity through the service: that writes its labels again."
_ADVICE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "observations_without_an_entity": _RESTORE,
        "entities_without_their_own_key": "Write the name again with `update_entities`, or restore a backup.",
        "keys_that_name_nothing": "They do no harm; export and import into a new database leaves the graph as it is.",
        "nodes_without_a_scope": _RESTORE,
        "edges_without_a_scope": _RESTORE,
        "things_without_a_key": _RESTORE,
        "searchable_without_words": "Write the text again through the service: its words are made at writing.",
        "live_but_not_searchable": _REINDEX,
        "retired_but_searchable": _REINDEX,
        "retired_label_differs": _REINDEX,
        "owner_differs": _RESTORE,
        "history_incomplete": _AUDIT,
        "not_sealed_for_long": "Run `graphsvc audit seal`, and look whether the service runs and what its log says.",
        "outside_the_log": _AUDIT,
        "chain_end_differs": _AUDIT,
        "import_cut_off": "Run the same `graphsvc import` or `restore` again: it goes on where it stopped.",
    }
)
"""Queries in `cypher/doctor/`, with what to do about what they find."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: which check, what was found, how much, the first ids, what to do."""

    check: str
    what: str
    found: int
    ids: list[str]
    advice: str


@dataclass(slots=True)
class Diagnosis:
    """What the doctor looked at, and what it found."""

    neo4j: str = ""
    schema_version: int = 0
    checks: int = 0
    findings: list[Finding] = field(default_factory=list)


async def diagnose(graph: Graph) -> Diagnosis:
    """Look at everything. Raises DatabaseUnavailable."""
    diagnosis = Diagnosis()
    for look in (_version, _schema):
        found = [finding async for finding in look(graph, diagnosis)]
        diagnosis.findings += found
    for name, advice in _ADVICE.items():
        query = Q[f"doctor/{name}"]
        diagnosis.checks += 1
        async for row in graph.stream(query, examples=_EXAMPLES):
            if row["found"]:
                diagnosis.findings.append(Finding(name, query.purpose, row["found"], row["ids"], advice))
    return diagnosis


async def _version(graph: Graph, diagnosis: Diagnosis) -> AsyncIterator[Finding]:
    diagnosis.checks += 1
    row = (await graph.read(None, "system/components"))[0]
    diagnosis.neo4j = f"{row['version']} {row['edition']}"
    numbers = tuple(int(number) for number in re.findall(r"\d+", row["version"])[:3])
    if numbers < _NEO4J_MIN:
        yield Finding(
            "neo4j_version",
            "This Neo4j has a known weakness.",
            1,
            [row["version"]],
            f"Upgrade Neo4j to {'.'.join(map(str, _NEO4J_MIN))} or later.",
        )


async def _schema(graph: Graph, diagnosis: Diagnosis) -> AsyncIterator[Finding]:
    diagnosis.checks += 3
    current = await graph.read(None, "system/current_schema")
    diagnosis.schema_version = current[0]["version"] if current else 0
    if diagnosis.schema_version != SCHEMA_VERSION:
        older = diagnosis.schema_version < SCHEMA_VERSION
        yield Finding(
            "schema_version",
            f"The schema has version {diagnosis.schema_version}; this program knows {SCHEMA_VERSION}.",
            1,
            [str(diagnosis.schema_version)],
            "Start the service: it brings the schema up to date." if older else "Upgrade this program.",
        )
    states = {row["name"]: row["state"] for row in await graph.read(None, "system/schema_names")}
    missing = sorted(name for name in schema_statements() if name not in states)
    if missing:
        yield Finding(
            "schema_missing",
            "Constraints or indexes are missing: things may be double, reads slow.",
            len(missing),
            missing[:_EXAMPLES],
            "Start the service: it makes them; where that fails, its log names the things that are double.",
        )
    waiting = sorted(name for name, state in states.items() if state != "ONLINE")
    if waiting:
        yield Finding(
            "indexes_not_online",
            "Indexes are not online.",
            len(waiting),
            waiting[:_EXAMPLES],
            "Wait until they are filled; drop one that has FAILED and start the service, which makes it again.",
        )
