// Which entities may have been meant by a name, alias or id at an instant: all that ever had it, by index of the reference.
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
  UNION
  MATCH (a:Alias {key: row.key})-[:NAMES]->(e:Entity)
  WHERE a.scope IN $visible_scopes
  RETURN e
}
WITH row, e
WHERE e.scope IN $visible_scopes
RETURN row.index AS index, collect(DISTINCT e.id) AS owners
