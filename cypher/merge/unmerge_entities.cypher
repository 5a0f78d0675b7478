// Bring back an entity that was merged into another. One whose survivor was merged in its turn waits for that one
// (`conflict`): merges are taken back in the reverse order.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: outcome, target_id, transition_id
MATCH (source:Entity {id: $row.source_id})-[m:MERGED_INTO]->(target:Entity)
WHERE source.scope IN $writable_scopes
  AND (source.merged_into = target.id OR source.transition_id = $row.transition_id)
WITH source, m, target ORDER BY m.updated_at DESC LIMIT 1
SET source.locked = true, target.locked = true
REMOVE source.locked, target.locked
WITH source, m, target,
     CASE
       WHEN source.transition_id = $row.transition_id THEN 'unmerged'
       WHEN target.merged_into IS NOT NULL THEN 'conflict'
       WHEN source.merged_into = target.id THEN 'unmerged'
       ELSE 'skipped'
     END AS outcome
CALL (source, m, outcome) {
  WITH source, m, outcome
  WHERE outcome = 'unmerged' AND source.transition_id <> $row.transition_id
  SET source.revision = source.revision + 1, source.transition_id = $row.transition_id, source.merged_into = null,
      source.updated_at = CASE WHEN source.updated_at > datetime.transaction('Z') THEN source.updated_at
                               ELSE datetime.transaction('Z') END,
      source.updated_by = $context.principal, source.retired_at = null, source.retired_by = null
  REMOVE source:Retired
  SET m.revision = m.revision + 1, m.updated_at = source.updated_at, m.updated_by = $context.principal,
      m.retired_at = source.updated_at
  CREATE (t:Transition {id: $row.transition_id, target_id: source.id, target_kind: 'entity', scope: source.scope,
                        revision: source.revision, at: source.updated_at, op: 'unmerge', after_name: source.name,
                        after_kind: source.kind})
  SET t += $context
}
CALL (source, outcome) {
  WITH source, outcome
  WHERE outcome = 'unmerged'
  MATCH (source)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.retired_at IS NULL
  SET o:Searchable
}
RETURN outcome, target.id AS target_id,
       CASE WHEN source.transition_id = $row.transition_id THEN source.transition_id END AS transition_id
