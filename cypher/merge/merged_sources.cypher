// Entities that are merged into others, by id or by a name or alias that they had.
// access: read
// scope: gated
// params: id STRING, key STRING, visible_scopes LIST<STRING>
// returns: id, into
CALL () {
  MATCH (e:Entity {id: $id})
  RETURN e
  UNION
  MATCH (a:Alias {key: $key})-[n:NAMES]->(e:Entity)
  WHERE a.scope IN $visible_scopes AND n.retired_at IS NULL AND n.merged_from IS NULL
  RETURN e
}
WITH e
WHERE e.scope IN $visible_scopes AND e.merged_into IS NOT NULL
RETURN e.id AS id, e.merged_into AS into ORDER BY id LIMIT 2
