// Put memory-supports links as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (c:Candidate {id: row.candidate})
MATCH (e:Entity {id: row.entity_id})
MERGE (c)-[x:SUPPORTS {key: row.key}]->(e)
SET x += row.properties
