// Which tasks or notes may have been meant by an id or an external id at an instant, as `task/resolve_work_items`.
// access: read
// scope: gated
// params: id STRING, external_id STRING, kind STRING, visible_scopes LIST<STRING>, home_scope STRING
// returns: id, step
CALL () {
  MATCH (w:WorkItem {id: $id})
  RETURN w, 0 AS step
  UNION
  MATCH (w:WorkItem {external_id: $external_id})
  RETURN w, CASE WHEN w.scope = $home_scope THEN 1 ELSE 2 END AS step
}
WITH w, step
WHERE w.kind = $kind AND w.scope IN $visible_scopes
RETURN w.id AS id, min(step) AS step
