// Pairs of task and entity that somebody accepted or rejected, by the link's id from a place on, for evaluation.
// access: read
// scope: gated
// params: after STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: labels
UNWIND $visible_scopes AS scope
MATCH (task:Task)-[l:LINKED_TO {scope: scope}]->(e:Entity)
WHERE e.scope IN $visible_scopes AND task.scope IN $visible_scopes AND l.id > $after
  AND (l.suppressed OR (l.retired_at IS NULL AND l.origin = 'manual'))
WITH task, l, e ORDER BY l.id LIMIT $page
RETURN collect({link_id: l.id, task_id: task.id, entity_id: e.id, scope: l.scope,
                label: CASE WHEN l.retired_at IS NULL THEN 'accepted' ELSE 'rejected' END,
                removal: l.removal, origin: l.origin, score: l.score, signals: l.signals,
                scorer_version: l.scorer_version, at: toString(l.updated_at)}) AS labels
