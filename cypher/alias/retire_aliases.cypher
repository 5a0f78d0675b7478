// Retire aliases of entities; an entity's own name stays.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (a:Alias)-[n:NAMES]->(e)
WHERE a.key = row.key AND a.scope IN $writable_scopes AND NOT n.primary
SET n.locked = true
REMOVE n.locked
WITH row, n, row.transition_id + ':' + n.id AS transition_id
WHERE n.retired_at IS NULL OR n.transition_id = transition_id
CALL (n, transition_id) {
  WITH n, transition_id
  WHERE n.retired_at IS NULL
  SET n.revision = n.revision + 1, n.transition_id = transition_id,
      n.updated_at = CASE WHEN n.updated_at > datetime.transaction('Z') THEN n.updated_at
                          ELSE datetime.transaction('Z') END,
      n.updated_by = $context.principal, n.retired_by = $context.principal
  SET n.retired_at = n.updated_at
  CREATE (t:Transition {id: transition_id, target_id: n.id, target_kind: 'alias', scope: n.scope,
                        revision: n.revision, at: n.updated_at, op: 'retire', before_text: n.text})
  SET t += $context
}
RETURN row.index AS index, n.id AS id, transition_id
