// Which live entities answer for those that were merged into others, by id, external id or place in the request.
// access: read
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>
// returns: index, owners
UNWIND $rows AS row
CALL (row) {
  MATCH (e:Entity {id: row.id})
  RETURN e
  UNION
  MATCH (x:ExternalId {value: row.external_id})-[:IDENTIFIES]->(e:Entity)
  WHERE x.scope IN $visible_scopes
  RETURN e
}
WITH row, e
WHERE e.merged_into IS NOT NULL
// Merges of merges are few: each is a decision of a person who governs the scope.
MATCH (e)((:Entity)-[m:MERGED_INTO WHERE m.retired_at IS NULL]->(:Entity)){1,16}(survivor:Entity)
WHERE survivor.scope IN $visible_scopes AND survivor.retired_at IS NULL
WITH row, collect(DISTINCT survivor{.id, .scope, .name, .kind}) AS owners
RETURN row.index AS index, owners[0..2] AS owners
