// Merge an entity into another of its scope: the source is hidden, its edge says where it went. Both must be live; one that
// has gone into this target already is told by `existing`.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: outcome, scope, transition_id
MATCH (e:Entity)
WHERE e.id IN [$row.source_id, $row.target_id] AND e.scope IN $writable_scopes
WITH e ORDER BY e.id
SET e.locked = true
REMOVE e.locked
WITH collect(e) AS both
WHERE size(both) = 2
WITH [e IN both WHERE e.id = $row.source_id][0] AS source, [e IN both WHERE e.id = $row.target_id][0] AS target
WITH source, target,
     CASE
       WHEN source.transition_id = $row.transition_id THEN 'merged'
       WHEN source.scope <> target.scope THEN 'conflict'
       WHEN source.merged_into = target.id THEN 'existing'
       WHEN source.retired_at IS NOT NULL OR target.retired_at IS NOT NULL THEN 'skipped'
       ELSE 'merged'
     END AS outcome
CALL (source, target, outcome) {
  WITH source, target, outcome
  WHERE outcome = 'merged' AND source.transition_id <> $row.transition_id
  MERGE (source)-[m:MERGED_INTO {key: source.id + '|' + target.id}]->(target)
  ON CREATE SET m.scope = source.scope, m.revision = 0, m.created_at = datetime.transaction('Z')
  SET source.revision = source.revision + 1, source.transition_id = $row.transition_id, source.merged_into = target.id,
      source.updated_at = CASE WHEN source.updated_at > datetime.transaction('Z') THEN source.updated_at
                               ELSE datetime.transaction('Z') END,
      source.updated_by = $context.principal, source.retired_by = $context.principal, source:Retired
  SET source.retired_at = source.updated_at, m.revision = m.revision + 1, m.retired_at = null,
      m.updated_at = source.updated_at, m.updated_by = $context.principal
  CREATE (t:Transition {id: $row.transition_id, target_id: source.id, target_kind: 'entity', scope: source.scope,
                        revision: source.revision, at: source.updated_at, op: 'merge', after_name: source.name,
                        after_kind: source.kind, after_merged_into: target.id})
  SET t += $context
}
CALL (source) {
  MATCH (source)-[:HAS_OBSERVATION]->(o:Searchable)
  REMOVE o:Searchable
}
RETURN outcome, source.scope AS scope,
       CASE WHEN source.transition_id = $row.transition_id THEN source.transition_id END AS transition_id
