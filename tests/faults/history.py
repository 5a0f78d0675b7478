"""What must hold of the history whatever has happened: a thing's transitions are numbered 1, 2, 3 … without a gap."""

import itertools
from typing import Any

from tests.faults.conftest import Broken

_NODES = """
MATCH (n) WHERE n.scope = $scope AND (n:Entity OR n:Observation) AND n.id IS NOT NULL
RETURN n.id AS id, n.revision AS revision, n.retired_at IS NULL AS live
"""
_RELATIONS = """
MATCH ()-[r:RELATES_TO]->() WHERE r.scope = $scope
RETURN r.id AS id, r.revision AS revision, r.retired_at IS NULL AS live
"""
_TRANSITIONS = """
MATCH (t:Transition) WHERE t.scope = $scope AND t.target_kind IN ["entity", "observation", "relation"]
RETURN t.target_id AS id, t.revision AS revision, t.op AS op, t.at AS at ORDER BY id, revision
"""
_RETIRING = {"retire", "merge"}
_REVIVING = {"create", "revive", "unmerge"}


def history_problems(broken: Broken, scope: str) -> list[str]:
    """What is wrong with the history of this scope."""
    things = {row["id"]: row for query in (_NODES, _RELATIONS) for row in broken.rows(query, scope=scope)}
    by_thing: dict[str, list[dict[str, Any]]] = {}
    for row in broken.rows(_TRANSITIONS, scope=scope):
        by_thing.setdefault(row["id"], []).append(row)
    wrong = [f"{thing} has no history" for thing in things.keys() - by_thing.keys()]
    for thing, rows in by_thing.items():
        revisions = [row["revision"] for row in rows]
        if revisions != list(range(1, len(rows) + 1)):
            wrong.append(f"{thing}: revisions {revisions}")
        if thing not in things or things[thing]["revision"] != len(rows):
            wrong.append(f"{thing}: {len(rows)} transitions, but {things.get(thing)}")
            continue
        turns = [row["op"] for row in rows if row["op"] in _RETIRING | _REVIVING]
        if any((a in _RETIRING) == (b in _RETIRING) for a, b in itertools.pairwise(turns)):
            wrong.append(f"{thing}: {turns}")
        if things[thing]["live"] != (turns[-1] in _REVIVING):
            wrong.append(f"{thing}: live {things[thing]['live']} after {turns}")
        if any(a["at"] > b["at"] for a, b in itertools.pairwise(rows)):
            wrong.append(f"{thing}: times go back")
    return wrong


def digest(broken: Broken, scope: str) -> list[tuple[Any, ...]]:
    """All of a scope that a write may change, but for when things were last seen."""
    rows = broken.rows(
        "MATCH (n) WHERE n.scope = $scope AND n.id IS NOT NULL AND NOT n:Transition "
        "RETURN n.id AS id, n.revision AS revision, n.retired_at IS NULL AS live, n.name AS name, n.kind AS kind "
        "UNION ALL MATCH ()-[r]->() WHERE r.scope = $scope AND r.id IS NOT NULL "
        "RETURN r.id AS id, r.revision AS revision, r.retired_at IS NULL AS live, r.type AS name, r.text AS kind",
        scope=scope,
    )
    transitions = broken.rows(
        "MATCH (t:Transition) WHERE t.scope = $scope RETURN count(t) AS found", scope=scope
    )
    things = [(row["id"], row["revision"], row["live"], row["name"], row["kind"]) for row in rows]
    return [*sorted(things, key=repr), ("transitions", transitions[0]["found"])]
