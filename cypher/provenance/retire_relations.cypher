// Retire relations by id.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH ()-[x:RELATES_TO {id: row.id}]->()
WHERE x.scope IN $writable_scopes
SET x.locked = true
REMOVE x.locked
WITH row, x
WHERE x.retired_at IS NULL OR x.transition_id = row.transition_id
CALL (row, x) {
  WITH row, x
  WHERE x.retired_at IS NULL
  SET x.revision = x.revision + 1, x.transition_id = row.transition_id, x.caption = '✗ ' + x.type,
      x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                          ELSE datetime.transaction('Z') END,
      x.updated_by = $context.principal, x.retired_by = $context.principal
  SET x.retired_at = x.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'relation', scope: x.scope,
                        revision: x.revision, at: x.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, x.id AS id, row.transition_id AS transition_id
