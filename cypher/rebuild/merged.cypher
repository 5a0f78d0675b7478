// Put the edges that say where merged entities went, as a log left them, into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (source:Entity {id: row.source_id})
MATCH (target:Entity {id: row.target_id})
MERGE (source)-[m:MERGED_INTO {key: source.id + '|' + target.id}]->(target)
SET m += row.properties
