// Retire the observations that the survivor has by a merge that is taken back.
// Stays what came by another merge too, or has been written on the survivor again.
// access: write
// scope: system
// params: source_id STRING, target_id STRING, transition_id STRING, context MAP
// returns: id, scope, transition_id
MATCH (target:Entity {id: $target_id})
MATCH (target)-[:HAS_OBSERVATION]->(c:Observation)
WHERE any(path IN c.merged_from WHERE $source_id IN split(path, ' ')) OR c.transition_id = $transition_id + ':' + c.id
WITH DISTINCT c ORDER BY c.id
SET c.locked = true
REMOVE c.locked
WITH c, $transition_id + ':' + c.id AS transition_id,
     [path IN coalesce(c.merged_from, []) WHERE NOT $source_id IN split(path, ' ')] AS left
WITH c, transition_id, left,
     size(left) = 0 AND c.retired_at IS NULL AND NOT c.last_seen_at > c.merged_at AS goes
SET c.merged_from = CASE WHEN size(left) > 0 THEN left END
WITH c, transition_id, goes
CALL (c, transition_id, goes) {
  WITH c, transition_id, goes
  WHERE goes
  SET c.revision = c.revision + 1, c.transition_id = transition_id,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal, c.retired_by = $context.principal, c:Retired
  SET c.retired_at = c.updated_at
  REMOVE c:Searchable
  CREATE (t:Transition {id: transition_id, target_id: c.id, target_kind: 'observation', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: 'retire', merged_from: $source_id})
  SET t += $context
}
WITH c, transition_id
WHERE c.transition_id = transition_id
RETURN c.id AS id, c.scope AS scope, transition_id
