// Retire tasks and notes. Their links stay as they are and read as absent (spec 01).
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (w:WorkItem {id: row.id})
WHERE w.scope IN $writable_scopes
SET w.locked = true
REMOVE w.locked
WITH row, w
WHERE w.retired_at IS NULL OR w.transition_id = row.transition_id
CALL (row, w) {
  WITH row, w
  WHERE w.retired_at IS NULL
  SET w.revision = w.revision + 1, w.transition_id = row.transition_id,
      w.updated_at = CASE WHEN w.updated_at > datetime.transaction('Z') THEN w.updated_at
                          ELSE datetime.transaction('Z') END,
      w.updated_by = $context.principal, w.retired_by = $context.principal, w:Retired
  SET w.retired_at = w.updated_at
  REMOVE w:Searchable
  CREATE (t:Transition {id: row.transition_id, target_id: w.id, target_kind: w.kind, scope: w.scope,
                        revision: w.revision, at: w.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, w.id AS id, row.transition_id AS transition_id
