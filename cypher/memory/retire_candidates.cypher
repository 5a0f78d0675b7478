// Retire candidates of memory files. Their links read as absent with them, and return with them.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (c:Candidate {id: row.id})
WHERE c.scope IN $writable_scopes
SET c.locked = true
REMOVE c.locked
WITH row, c
WHERE c.retired_at IS NULL OR c.transition_id = row.transition_id
CALL (row, c) {
  WITH row, c
  WHERE c.retired_at IS NULL
  SET c.revision = c.revision + 1, c.transition_id = row.transition_id,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal, c.retired_by = $context.principal, c:Retired
  SET c.retired_at = c.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'candidate', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, c.id AS id, row.transition_id AS transition_id
