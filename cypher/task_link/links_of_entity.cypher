// The tasks that are linked to an entity, by the link's id from a place on, as `links_of_task`.
// access: read
// scope: gated
// params: entity_id STRING, after STRING, page INTEGER, include_removed BOOLEAN, visible_scopes LIST<STRING>
// returns: links
MATCH (e:Entity {id: $entity_id})
WHERE e.scope IN $visible_scopes
MATCH (task:Task)-[l:LINKED_TO]->(e)
WHERE l.scope IN $visible_scopes AND task.scope IN $visible_scopes AND l.id > $after
  AND ($include_removed OR (l.retired_at IS NULL AND e.retired_at IS NULL AND task.retired_at IS NULL))
WITH l, task ORDER BY l.id LIMIT $page
RETURN collect({id: l.id, task: task{.id, .external_id, .title, .status, due: toString(task.due), .scope},
                origin: l.origin, score: l.score, signals: l.signals, scorer_version: l.scorer_version, scope: l.scope,
                created_at: toString(l.created_at), created_by: l.created_by, last_seen_at: toString(l.last_seen_at),
                removal: l.removal, removed_at: toString(l.retired_at), removed_by: l.retired_by,
                reason: l.reason}) AS links
