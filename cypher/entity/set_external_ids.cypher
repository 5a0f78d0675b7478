// Attach external ids to entities; an id that another entity of the scope has is left with it and reported.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, value, owner
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (x:ExternalId {scope: $write_scope, value: row.value})
ON CREATE SET x.entity_id = e.id, x.created_at = datetime.transaction('Z'), x.created_by = $context.principal
WITH row, e, x
CALL (e, x) {
  WITH e, x
  WHERE x.entity_id = e.id
  MERGE (x)-[:IDENTIFIES]->(e)
}
RETURN row.index AS index, row.value AS value, x.entity_id AS owner
