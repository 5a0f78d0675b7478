// The task links of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (task:Task {scope: $chain})-[x:LINKED_TO]->(e:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {task_id: task.id, entity_id: e.id, origin: x.origin, score: x.score, signals: x.signals,
                   scorer_version: x.scorer_version, removal: x.removal, reason: x.reason, suppressed: x.suppressed} AS content
ORDER BY id LIMIT $page
