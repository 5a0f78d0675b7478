// The links of a task, by id from a place on: live and visible ones, or with `include_removed` also those that were removed.
// access: read
// scope: gated
// params: task_id STRING, after STRING, page INTEGER, include_removed BOOLEAN, visible_scopes LIST<STRING>
// returns: links
MATCH (task:Task {id: $task_id})
WHERE task.scope IN $visible_scopes
MATCH (task)-[l:LINKED_TO]->(e:Entity)
WHERE l.scope IN $visible_scopes AND e.scope IN $visible_scopes AND l.id > $after
  AND ($include_removed OR (l.retired_at IS NULL AND e.retired_at IS NULL AND task.retired_at IS NULL))
WITH l, e ORDER BY l.id LIMIT $page
RETURN collect({id: l.id, entity: e{.id, .name, .kind, .scope}, origin: l.origin, score: l.score, signals: l.signals,
                scorer_version: l.scorer_version, scope: l.scope, created_at: toString(l.created_at),
                created_by: l.created_by, last_seen_at: toString(l.last_seen_at), removal: l.removal,
                removed_at: toString(l.retired_at), removed_by: l.retired_by, reason: l.reason}) AS links
