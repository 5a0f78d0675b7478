// Take the reasons of task links away, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (task:Task)-[x:LINKED_TO {id: row.id}]->(e:Entity)
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.signals = null, x.reason = null,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'task_link', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_task_id: task.id,
                      after_entity_id: e.id, after_origin: x.origin, after_score: x.score,
                      after_scorer_version: x.scorer_version, after_removal: x.removal, after_suppressed: x.suppressed})
SET t += $context
RETURN x.id AS id
