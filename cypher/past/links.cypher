// The links that a task or an entity has or had, by id from a place on, with their ends: what each was at an instant is
// told by its transitions.
// access: read
// scope: gated
// params: task_id STRING, entity_id STRING, after STRING, as_of STRING, include_removed BOOLEAN, page INTEGER, visible_scopes LIST<STRING>
// returns: links
CALL () {
  MATCH (task:Task {id: $task_id})-[l:LINKED_TO]->(e:Entity)
  RETURN l, task, e
  UNION
  MATCH (e:Entity {id: $entity_id})<-[l:LINKED_TO]-(task:Task)
  RETURN l, task, e
}
WITH l, task, e
WHERE l.scope IN $visible_scopes AND task.scope IN $visible_scopes AND e.scope IN $visible_scopes
  AND l.id > $after AND l.created_at <= datetime($as_of)
CALL (l) {
  MATCH (t:Transition {target_id: l.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS link_op
}
CALL (task) {
  MATCH (t:Transition {target_id: task.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS task_op
}
CALL (e) {
  MATCH (t:Transition {target_id: e.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS entity_op
}
WITH l, task, e
WHERE $include_removed OR (NOT link_op IN ['unlink', 'reject', 'retire', 'erase'] AND NOT task_op IN ['retire', 'erase']
                           AND NOT entity_op IN ['retire', 'merge', 'erase'])
WITH l, task, e ORDER BY l.id LIMIT $page
RETURN collect({id: l.id, scope: l.scope, created_at: toString(l.created_at), created_by: l.created_by,
                task: task{.id, .scope}, entity: e{.id, .scope}}) AS links
