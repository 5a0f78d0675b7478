// What memory knows for each open task: the things that it is linked to and how much is recorded of them.
// Tasks that memory knows nothing for come first.
// parameters: none
// shows: table
MATCH (task:Task)
WHERE task.retired_at IS NULL
CALL (task) {
  OPTIONAL MATCH (task)-[link:LINKED_TO]->(thing:Entity)
  WHERE link.retired_at IS NULL AND thing.retired_at IS NULL
  RETURN collect(thing.name) AS things,
         sum(COUNT { (thing)-[:HAS_OBSERVATION]->(o:Observation) WHERE o.retired_at IS NULL }) AS observations
}
RETURN task.title AS task, task.status AS status, task.due AS due, task.scope AS scope, things, observations
ORDER BY size(things), observations, due
LIMIT 200
