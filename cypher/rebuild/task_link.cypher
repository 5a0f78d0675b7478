// Put task links as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (task:Task {id: row.task_id})
MATCH (e:Entity {id: row.entity_id})
MERGE (task)-[x:LINKED_TO {key: task.id + '|' + e.id}]->(e)
SET x += row.properties
