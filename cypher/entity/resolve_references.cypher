// Who is meant by a name, alias or id: the owners at the first step that has any (spec 01).
// Steps: id or external id, own name in the home scope, own name elsewhere visible, alias in the home scope, alias elsewhere visible.
// access: read
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, home_scope STRING
// returns: index, owners
UNWIND $rows AS row
CALL (row) {
  MATCH (e:Entity {id: row.id})
  WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
  RETURN e, 0 AS step
  UNION
  MATCH (x:ExternalId {value: row.external_id})-[:IDENTIFIES]->(e:Entity)
  WHERE x.scope IN $visible_scopes AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  RETURN e, 0 AS step
  UNION
  MATCH (a:Alias)-[n:NAMES]->(e:Entity)
  WHERE a.key = row.key AND a.scope IN $visible_scopes AND n.retired_at IS NULL
    AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  RETURN e, min(CASE
    WHEN n.primary AND e.scope = $home_scope THEN 1
    WHEN n.primary THEN 2
    WHEN a.scope = $home_scope THEN 3
    ELSE 4
  END) AS step
}
WITH row, step, collect(e{.id, .scope, .name, .kind}) AS owners
ORDER BY step
WITH row, collect(owners)[0] AS owners
RETURN row.index AS index, owners[0..2] AS owners
