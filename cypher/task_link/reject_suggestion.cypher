// Record that a task and an entity do not belong together: an edge that was never live, or an automatic link taken away.
// A manual link is left as it is (`manual`): it can only be unlinked.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, outcome, transition_id
UNWIND $rows AS row
MATCH (task:Task {id: row.task_id})
WHERE task.scope IN $writable_scopes AND task.retired_at IS NULL
MATCH (e:Entity {id: row.entity_id})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
MERGE (task)-[l:LINKED_TO {key: task.id + '|' + e.id}]->(e)
ON CREATE SET l.id = row.id, l.scope = task.scope, l.task_id = task.id, l.entity_id = e.id, l.revision = 0,
              l.origin = 'auto', l.created_at = datetime.transaction('Z'), l.created_by = $context.principal
SET l.last_seen_at = CASE WHEN l.last_seen_at > datetime.transaction('Z') THEN l.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, l,
     CASE
       WHEN l.transition_id = row.transition_id THEN 'rejected'
       WHEN l.revision > 0 AND l.retired_at IS NULL AND l.origin = 'manual' THEN 'manual'
       WHEN l.removal = 'rejected' THEN 'existing'
       ELSE 'rejected'
     END AS outcome
CALL (row, l, outcome) {
  WITH row, l, outcome
  WHERE outcome = 'rejected' AND coalesce(l.transition_id <> row.transition_id, true)
  SET l.revision = l.revision + 1, l.transition_id = row.transition_id, l.removal = 'rejected', l.reason = row.reason,
      l.suppressed = true, l.score = coalesce(l.score, row.score), l.signals = coalesce(l.signals, row.signals),
      l.scorer_version = coalesce(l.scorer_version, row.scorer_version),
      l.updated_at = CASE WHEN l.updated_at > datetime.transaction('Z') THEN l.updated_at
                          ELSE datetime.transaction('Z') END,
      l.updated_by = $context.principal, l.retired_by = $context.principal
  SET l.retired_at = l.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: l.id, target_kind: 'task_link', scope: l.scope,
                        revision: l.revision, at: l.updated_at, op: 'reject', after_task_id: l.task_id,
                        after_entity_id: l.entity_id, after_origin: l.origin, after_score: l.score,
                        after_signals: l.signals, after_scorer_version: l.scorer_version,
                        after_removal: l.removal, after_reason: l.reason, after_suppressed: l.suppressed})
  SET t += $context
}
RETURN row.index AS index, l.id AS id, outcome,
       CASE WHEN l.transition_id = row.transition_id THEN row.transition_id END AS transition_id
