// Retire memory-supports links. The edges stay as history.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (:Candidate)-[s:SUPPORTS {id: row.id}]->(:Entity)
WHERE s.scope IN $writable_scopes
SET s.locked = true
REMOVE s.locked
WITH row, s
WHERE s.retired_at IS NULL OR s.transition_id = row.transition_id
CALL (row, s) {
  WITH row, s
  WHERE s.retired_at IS NULL
  SET s.revision = s.revision + 1, s.transition_id = row.transition_id,
      s.updated_at = CASE WHEN s.updated_at > datetime.transaction('Z') THEN s.updated_at
                          ELSE datetime.transaction('Z') END,
      s.updated_by = $context.principal, s.retired_by = $context.principal
  SET s.retired_at = s.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: s.id, target_kind: 'support', scope: s.scope,
                        revision: s.revision, at: s.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, s.id AS id, row.transition_id AS transition_id
