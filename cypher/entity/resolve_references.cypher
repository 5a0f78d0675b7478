// Who is meant by a name, alias or id: the owners at the first step that has any (spec 01).
// Steps: id or external id, own name in the home scope, own name elsewhere visible, alias in the home scope, alias elsewhere visible.
// Of few scopes each key is looked up by itself, so that what others have costs nothing; of many, all at once.
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
  CALL (row) {
    UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
    MATCH (x:ExternalId {value: row.external_id, scope: scope})
    RETURN x
    UNION ALL
    MATCH (x:ExternalId)
    WHERE size($visible_scopes) > 8 AND x.value = row.external_id AND x.scope IS NOT NULL
    RETURN x
  }
  MATCH (x)-[:IDENTIFIES]->(e:Entity)
  WHERE x.scope IN $visible_scopes AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  RETURN e, 0 AS step
  UNION
  CALL (row) {
    UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
    MATCH (a:Alias {key: row.key, scope: scope})
    RETURN a
    UNION ALL
    MATCH (a:Alias)
    WHERE size($visible_scopes) > 8 AND a.key = row.key AND a.scope IS NOT NULL
    RETURN a
  }
  MATCH (a)-[n:NAMES]->(e:Entity)
  WHERE a.scope IN $visible_scopes AND n.retired_at IS NULL
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
