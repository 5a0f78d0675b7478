// Change tasks or notes: `content` holds the properties to set, null clearing one.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, title, body, transition_id
UNWIND $rows AS row
MATCH (w:WorkItem {id: row.id})
WHERE w.kind = row.kind AND w.scope IN $writable_scopes AND w.retired_at IS NULL
SET w.last_seen_at = CASE WHEN w.last_seen_at > datetime.transaction('Z') THEN w.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, w, w{.title, .body, .status, .due} AS before
CALL (row, w, before) {
  WITH row, w, before
  WHERE w.transition_id <> row.transition_id
    AND any(name IN keys(row.content) WHERE coalesce(before[name] <> row.content[name],
                                                     before[name] IS NOT NULL OR row.content[name] IS NOT NULL))
  CREATE (t:Transition {id: row.transition_id, target_id: w.id, target_kind: w.kind, scope: w.scope,
                        revision: w.revision + 1, op: 'update', before_title: w.title, before_body: w.body,
                        before_status: w.status, before_due: w.due})
  SET t += $context
  SET w += row.content
  SET w.revision = w.revision + 1, w.transition_id = row.transition_id,
      w.updated_at = CASE WHEN w.updated_at > datetime.transaction('Z') THEN w.updated_at
                          ELSE datetime.transaction('Z') END,
      w.updated_by = $context.principal
  SET t.at = w.updated_at, t.after_external_id = w.external_id, t.after_title = w.title, t.after_body = w.body,
      t.after_status = w.status, t.after_due = w.due
}
RETURN row.index AS index, w.id AS id, w.title AS title, w.body AS body,
       CASE WHEN w.transition_id = row.transition_id THEN row.transition_id END AS transition_id
