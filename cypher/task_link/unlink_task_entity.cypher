// Remove a link. The edge stays as evidence; an automatic or well-scored pair stays suppressed as an evaluation label.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, writable_scopes LIST<STRING>, high_confidence FLOAT, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (task:Task {id: row.task_id})
WHERE task.scope IN $writable_scopes AND task.retired_at IS NULL
MATCH (task)-[l:LINKED_TO {key: task.id + '|' + row.entity_id}]->(e:Entity)
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
SET l.locked = true
REMOVE l.locked
WITH row, l
WHERE l.retired_at IS NULL OR l.transition_id = row.transition_id
CALL (row, l) {
  WITH row, l
  WHERE l.retired_at IS NULL
  SET l.revision = l.revision + 1, l.transition_id = row.transition_id, l.removal = 'unlinked', l.reason = row.reason,
      l.suppressed = CASE WHEN l.origin = 'auto' OR l.score >= $high_confidence THEN true END,
      l.updated_at = CASE WHEN l.updated_at > datetime.transaction('Z') THEN l.updated_at
                          ELSE datetime.transaction('Z') END,
      l.updated_by = $context.principal, l.retired_by = $context.principal
  SET l.retired_at = l.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: l.id, target_kind: 'task_link', scope: l.scope,
                        revision: l.revision, at: l.updated_at, op: 'unlink', after_task_id: l.task_id,
                        after_entity_id: l.entity_id, after_origin: l.origin, after_score: l.score,
                        after_signals: l.signals, after_scorer_version: l.scorer_version,
                        after_removal: l.removal, after_reason: l.reason, after_suppressed: l.suppressed})
  SET t += $context
}
RETURN row.index AS index, l.id AS id, row.transition_id AS transition_id
