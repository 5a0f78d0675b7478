// Which live tasks or notes are meant by an id or an external id: the home scope's own first, then those elsewhere.
// access: read
// scope: gated
// params: rows LIST<MAP>, kind STRING, visible_scopes LIST<STRING>, home_scope STRING
// returns: index, owners
UNWIND $rows AS row
CALL (row) {
  MATCH (w:WorkItem {id: row.id})
  RETURN w, 0 AS step
  UNION
  MATCH (w:WorkItem {external_id: row.external_id})
  RETURN w, CASE WHEN w.scope = $home_scope THEN 1 ELSE 2 END AS step
}
WITH row, w, step
WHERE w.kind = $kind AND w.scope IN $visible_scopes AND w.retired_at IS NULL
WITH row, step, collect(DISTINCT w{.id, .scope}) AS owners
ORDER BY step
WITH row, collect(owners)[0] AS owners
RETURN row.index AS index, owners[0..2] AS owners
