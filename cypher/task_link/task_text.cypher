// A task as the scorer needs it, with the entities it is linked to.
// access: read
// scope: gated
// params: task_id STRING, visible_scopes LIST<STRING>
// returns: id, scope, title, body, created_at, session_id, linked
MATCH (task:Task {id: $task_id})
WHERE task.scope IN $visible_scopes AND task.retired_at IS NULL
CALL (task) {
  MATCH (task)-[l:LINKED_TO]->(e:Entity)
  WHERE l.scope IN $visible_scopes AND l.retired_at IS NULL AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  WITH e ORDER BY e.id
  RETURN collect(e.id) AS linked
}
RETURN task.id AS id, task.scope AS scope, task.title AS title, task.body AS body,
       toString(task.created_at) AS created_at, task.session_id AS session_id, linked
