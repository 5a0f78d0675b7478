// Retire relations by their triple, in the scopes the caller may write to.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (a:Entity {id: row.from_id})
UNWIND $writable_scopes AS scope
MATCH (a)-[r:RELATES_TO {key: a.id + '|' + row.type_key + '|' + row.to_id + '|' + scope}]->(b:Entity {id: row.to_id})
SET r.locked = true
REMOVE r.locked
WITH row, r, row.transition_id + ':' + r.id AS transition_id
WHERE r.retired_at IS NULL OR r.transition_id = transition_id
CALL (r, transition_id) {
  WITH r, transition_id
  WHERE r.retired_at IS NULL
  SET r.revision = r.revision + 1, r.transition_id = transition_id, r.caption = '✗ ' + r.type,
      r.updated_at = CASE WHEN r.updated_at > datetime.transaction('Z') THEN r.updated_at
                          ELSE datetime.transaction('Z') END,
      r.updated_by = $context.principal, r.retired_by = $context.principal
  SET r.retired_at = r.updated_at
  CREATE (t:Transition {id: transition_id, target_id: r.id, target_kind: 'relation', scope: r.scope,
                        revision: r.revision, at: r.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, r.id AS id, transition_id
