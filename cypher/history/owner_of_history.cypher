// Which entity is meant where what is retired counts too: an id, an external id, or a name; the home scope's own first.
// access: read
// scope: gated
// params: id STRING, external_id STRING, key STRING, visible_scopes LIST<STRING>, home_scope STRING
// returns: owners
CALL () {
  MATCH (e:Entity {id: $id})
  RETURN e, 0 AS step
  UNION
  MATCH (x:ExternalId {value: $external_id})-[:IDENTIFIES]->(e:Entity)
  WHERE x.scope IN $visible_scopes
  RETURN e, 0 AS step
  UNION
  MATCH (a:Alias {key: $key})-[n:NAMES]->(e:Entity)
  WHERE a.scope IN $visible_scopes
  RETURN e, CASE WHEN n.primary THEN 1 ELSE 3 END + CASE WHEN a.scope = $home_scope THEN 0 ELSE 1 END AS step
}
WITH e, step
WHERE e.scope IN $visible_scopes
WITH step, collect(DISTINCT e.id) AS owners
ORDER BY step
RETURN collect(owners)[0][0..2] AS owners
