"""Writes (spec 02): a part of the table in `operations/__init__.py`."""

from typing import Final

from graphsvc.models import writes
from graphsvc.operations.operation import Operation
from graphsvc.service import aliases, entities, merging, observations, relations

WRITE_OPERATIONS: Final = (
    Operation(
        "create_entities",
        "write",
        "write",
        writes.CreateEntities,
        writes.WriteAnswer,
        entities.create_entities,
        example={
            "scope": "project:atlas",
            "entities": [
                {
                    "name": "Acme Print",
                    "kind": "organization",
                    "aliases": ["Acme"],
                    "observations": ["Acme Print offers same-day turnaround"],
                }
            ],
        },
    ),
    Operation(
        "update_entities",
        "write",
        "write",
        writes.UpdateEntities,
        writes.WriteAnswer,
        entities.update_entities,
        example={"items": [{"entity": "Acme Print", "name": "Acme Printing", "kind": "company"}]},
    ),
    Operation(
        "add_observations",
        "write",
        "write",
        writes.AddObservations,
        writes.WriteAnswer,
        observations.add_observations,
        example={
            "items": [
                {
                    "entity": "Acme Print",
                    "contents": [
                        "Closed on Mondays",
                        {"text": "Moved to Hall 4", "observed_at": "2026-03-01T10:00:00Z"},
                    ],
                }
            ]
        },
    ),
    Operation(
        "create_relations",
        "write",
        "write",
        writes.CreateRelations,
        writes.WriteAnswer,
        relations.create_relations,
        example={"relations": [{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}]},
    ),
    Operation(
        "add_aliases",
        "write",
        "write",
        writes.AddAliases,
        writes.WriteAnswer,
        aliases.add_aliases,
        example={"items": [{"entity": "Acme Print", "aliases": ["Acme"]}]},
    ),
    Operation(
        "remove_aliases",
        "write",
        "write",
        writes.RemoveAliases,
        writes.RetireAnswer,
        aliases.remove_aliases,
        example={"items": [{"entity": "Acme Print", "aliases": ["Acme"]}]},
    ),
    Operation(
        "delete_entities",
        "write",
        "write",
        writes.DeleteEntities,
        writes.RetireAnswer,
        entities.delete_entities,
        example={"names": ["Acme Print"]},
    ),
    Operation(
        "delete_observations",
        "write",
        "write",
        writes.DeleteObservations,
        writes.RetireAnswer,
        observations.delete_observations,
        example={"items": [{"entity": "Acme Print", "contents": ["Closed on Mondays"]}]},
    ),
    Operation(
        "delete_relations",
        "write",
        "write",
        writes.DeleteRelations,
        writes.RetireAnswer,
        relations.delete_relations,
        example={"relations": [{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}]},
    ),
    Operation(
        "merge_entities",
        "write",
        "govern",
        writes.MergeEntities,
        writes.MergeAnswer,
        merging.merge_entities,
        example={"source": "Acme Printing", "target": "Acme Print", "dry_run": True},
    ),
    Operation(
        "unmerge_entities",
        "write",
        "govern",
        writes.UnmergeEntities,
        writes.MergeAnswer,
        merging.unmerge_entities,
        example={"source": "Acme Printing"},
    ),
)
