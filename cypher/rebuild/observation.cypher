// Put observations as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (x:Observation {id: row.id})
SET x += row.properties
SET x.key = e.id + '|' + row.scope + '|' + row.text_sha256, x.owner_id = e.id, x.owner_scope = e.scope
MERGE (e)-[:HAS_OBSERVATION]->(x)
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
