// The task links of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (task:Task {scope: $chain})-[x:LINKED_TO]->(e:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       x.key = task.id + '|' + e.id AND x.task_id = task.id AND x.entity_id = e.id AS coherent,
       {task_id: task.id, entity_id: e.id, origin: x.origin, score: x.score, signals: x.signals,
        scorer_version: x.scorer_version, removal: x.removal, reason: x.reason, suppressed: x.suppressed} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
