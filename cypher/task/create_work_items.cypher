// Create tasks or notes in the write scope, or find and revive those whose external id is there.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MERGE (w:WorkItem {key: row.kind + '|' + $write_scope + '|' + coalesce('external:' + row.external_id, row.id)})
ON CREATE SET w.id = row.id, w.kind = row.kind, w.scope = $write_scope, w.external_id = row.external_id,
              w.title = row.title, w.body = row.body, w.status = row.status, w.due = row.due,
              w.terms = row.terms, w.owner_scope = $write_scope, w.owner_id = row.kind,
              w.session_id = $context.session_id, w.revision = 0,
              w.created_at = datetime.transaction('Z'), w.created_by = $context.principal
SET w.last_seen_at = CASE WHEN w.last_seen_at > datetime.transaction('Z') THEN w.last_seen_at
                          ELSE datetime.transaction('Z') END
FOREACH (ignored IN CASE WHEN row.kind = 'task' THEN [1] ELSE [] END | SET w:Task)
FOREACH (ignored IN CASE WHEN row.kind = 'note' THEN [1] ELSE [] END | SET w:Note)
WITH row, w,
     CASE
       WHEN w.revision = 0 OR (w.id = row.id AND w.transition_id = row.transition_id) THEN 'created'
       WHEN w.retired_at IS NOT NULL OR w.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, w, changed) {
  WITH row, w, changed
  WHERE changed IS NOT NULL AND coalesce(w.transition_id <> row.transition_id, true)
  SET w.revision = w.revision + 1, w.transition_id = row.transition_id, w.retired_at = null, w.retired_by = null,
      w.updated_at = CASE WHEN w.updated_at > datetime.transaction('Z') THEN w.updated_at
                          ELSE datetime.transaction('Z') END,
      w.updated_by = $context.principal, w:Searchable
  REMOVE w:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: w.id, target_kind: w.kind, scope: w.scope,
                        revision: w.revision, at: w.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' ELSE 'revive' END,
                        after_external_id: w.external_id, after_title: w.title, after_body: w.body,
                        after_status: w.status, after_due: w.due})
  SET t += $context
}
RETURN row.index AS index, w.id AS id, changed, row.transition_id AS transition_id
