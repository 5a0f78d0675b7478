// Put lookup keys of entities into an empty database: their aliases, then (`primary`) their own names.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (a:Alias {key: row.key, scope: row.scope})
ON CREATE SET a.pointer_key = row.pointer_key
MERGE (a)-[x:NAMES {key: row.scope + '|' + e.id + '|' + row.key}]->(e)
ON CREATE SET x.id = row.id
SET x += row.properties
