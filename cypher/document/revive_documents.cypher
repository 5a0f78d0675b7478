// Revive documents. What was recorded from them stands on its own.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (d:Document {id: row.id})
WHERE d.scope IN $writable_scopes
SET d.locked = true
REMOVE d.locked
WITH row, d
WHERE d.retired_at IS NOT NULL OR d.transition_id = row.transition_id
CALL (row, d) {
  WITH row, d
  WHERE d.retired_at IS NOT NULL
  SET d.revision = d.revision + 1, d.transition_id = row.transition_id,
      d.updated_at = CASE WHEN d.updated_at > datetime.transaction('Z') THEN d.updated_at
                          ELSE datetime.transaction('Z') END,
      d.updated_by = $context.principal, d.retired_at = null, d.retired_by = null
  REMOVE d:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: d.id, target_kind: 'document', scope: d.scope,
                        revision: d.revision, at: d.updated_at, op: 'revive',
                        after_title: d.title, after_mime_type: d.mime_type, after_content_sha256: d.content_sha256,
                        after_size_bytes: d.size_bytes})
  SET t += $context
}
RETURN row.index AS index, d.id AS id, row.transition_id AS transition_id
