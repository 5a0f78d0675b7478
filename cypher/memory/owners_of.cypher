// Which live entities own exact values: by id or external id, as a declared alias, or as the path of a document that a
// live observation cites. No display names, and nothing folded: `key` only finds the alias, whose text must be equal.
// access: read
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>
// returns: value, owners
UNWIND $rows AS row
CALL (row) {
  MATCH (e:Entity {id: row.value})
  RETURN e, 'id' AS kind
  UNION
  MATCH (x:ExternalId {value: row.value})-[:IDENTIFIES]->(e:Entity)
  WHERE x.scope IN $visible_scopes
  RETURN e, 'id' AS kind
  UNION
  MATCH (a:Alias)-[n:NAMES]->(e:Entity)
  WHERE a.key = row.key AND a.scope IN $visible_scopes AND n.retired_at IS NULL AND NOT n.primary
    AND n.text = row.value
  RETURN e, 'alias' AS kind
  UNION
  MATCH (o:Observation {source_path: row.value})<-[:HAS_OBSERVATION]-(e:Entity)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  RETURN e, 'path' AS kind
}
WITH row, e, kind
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
RETURN row.value AS value, collect(DISTINCT {entity_id: e.id, kind: kind}) AS owners
