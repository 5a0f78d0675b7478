// Put external ids of entities into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (x:ExternalId {scope: row.scope, value: row.value})
SET x += row.properties
MERGE (x)-[:IDENTIFIES]->(e)
