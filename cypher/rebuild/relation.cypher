// Put relations as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (a:Entity {id: row.from_id})
MATCH (b:Entity {id: row.to_id})
MERGE (a)-[x:RELATES_TO {key: a.id + '|' + row.type_key + '|' + b.id + '|' + row.scope}]->(b)
SET x += row.properties
SET x.type_key = row.type_key, x.caption = CASE WHEN row.live THEN row.type ELSE '✗ ' + row.type END
