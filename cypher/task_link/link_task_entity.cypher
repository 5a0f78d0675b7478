// Link a task to an entity: made once, an automatic link upgraded by a person's, a removed one revived. A pair that was
// rejected is never linked automatically again. The link lives in the scope of its task.
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
              l.created_at = datetime.transaction('Z'), l.created_by = $context.principal
SET l.last_seen_at = CASE WHEN l.last_seen_at > datetime.transaction('Z') THEN l.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, task, e, l, row.origin = 'manual' AS manual
WITH row, task, e, l,
     CASE
       WHEN l.revision = 0 THEN 'create'
       WHEN l.transition_id = row.transition_id THEN null
       WHEN l.retired_at IS NOT NULL AND (manual OR l.suppressed IS NULL) THEN 'revive'
       WHEN l.retired_at IS NULL AND manual AND l.origin = 'auto' THEN 'upgrade'
     END AS op
CALL (row, task, e, l, op) {
  WITH row, task, e, l, op
  WHERE op IS NOT NULL
  SET l.revision = l.revision + 1, l.transition_id = row.transition_id, l.origin = row.origin,
      l.score = CASE op WHEN 'upgrade' THEN coalesce(l.score, row.score) ELSE row.score END,
      l.signals = CASE op WHEN 'upgrade' THEN coalesce(l.signals, row.signals) ELSE row.signals END,
      l.scorer_version = CASE op WHEN 'upgrade' THEN coalesce(l.scorer_version, row.scorer_version)
                                 ELSE row.scorer_version END,
      l.updated_at = CASE WHEN l.updated_at > datetime.transaction('Z') THEN l.updated_at
                          ELSE datetime.transaction('Z') END,
      l.updated_by = $context.principal, l.retired_at = null, l.retired_by = null, l.removal = null,
      l.reason = null, l.suppressed = null
  CREATE (t:Transition {id: row.transition_id, target_id: l.id, target_kind: 'task_link', scope: l.scope,
                        revision: l.revision, at: l.updated_at, op: op, after_task_id: l.task_id,
                        after_entity_id: l.entity_id, after_origin: l.origin, after_score: l.score,
                        after_signals: l.signals, after_scorer_version: l.scorer_version})
  SET t += $context
}
OPTIONAL MATCH (t:Transition {id: row.transition_id})
RETURN row.index AS index, l.id AS id,
       CASE t.op
         WHEN 'create' THEN 'created'
         WHEN 'upgrade' THEN 'upgraded'
         WHEN 'revive' THEN 'revived'
         ELSE CASE WHEN l.retired_at IS NULL THEN 'existing' ELSE 'suppressed' END
       END AS outcome,
       t.id AS transition_id
