// Task links of a merged entity, recorded on the survivor. A pair that somebody rejected stays rejected.
// access: write
// scope: system
// params: rows LIST<MAP>, source_id STRING, target_id STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MATCH (task:Task)-[x:LINKED_TO {id: row.id}]->(:Entity {id: $source_id})
MATCH (target:Entity {id: $target_id})
MERGE (task)-[c:LINKED_TO {key: task.id + '|' + target.id}]->(target)
ON CREATE SET c.id = row.copy_id, c.scope = x.scope, c.task_id = task.id, c.entity_id = target.id, c.revision = 0,
              c.created_at = datetime.transaction('Z'), c.created_by = $context.principal,
              c.last_seen_at = x.last_seen_at
SET c.locked = true
REMOVE c.locked
WITH row, x, c,
     CASE
       WHEN c.revision = 0 OR (c.id = row.copy_id AND c.transition_id = row.transition_id) THEN 'create'
       WHEN (c.retired_at IS NOT NULL AND c.suppressed IS NULL) OR c.transition_id = row.transition_id THEN 'revive'
     END AS changed,
     // By which merges it is here: each entry names the sources on the way.
     CASE
       WHEN x.merged_from IS NULL OR x.last_seen_at > x.merged_at THEN [$source_id]
       ELSE [path IN x.merged_from | path + ' ' + $source_id]
     END AS paths
SET c.merged_from = CASE
      WHEN changed IS NOT NULL THEN paths
      WHEN c.merged_from IS NOT NULL THEN c.merged_from + [path IN paths WHERE NOT path IN c.merged_from]
    END,
    c.copy_of = CASE WHEN changed IS NOT NULL THEN coalesce(x.copy_of, x.id) ELSE c.copy_of END,
    c.merged_at = CASE WHEN changed IS NOT NULL THEN datetime.transaction('Z') ELSE c.merged_at END
WITH row, x, c, changed
CALL (row, x, c, changed) {
  WITH row, x, c, changed
  WHERE changed IS NOT NULL AND coalesce(c.transition_id <> row.transition_id, true)
  SET c.revision = c.revision + 1, c.transition_id = row.transition_id, c.retired_at = null, c.retired_by = null,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal, c.origin = x.origin,
      c.score = x.score, c.signals = x.signals, c.scorer_version = x.scorer_version, c.removal = null, c.reason = null
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'task_link', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: changed, merged_from: $source_id, copied_from: c.copy_of,
                        after_task_id: c.task_id, after_entity_id: c.entity_id, after_origin: c.origin,
                        after_score: c.score, after_signals: c.signals, after_scorer_version: c.scorer_version})
  SET t += $context
}
RETURN row.index AS index, c.id AS id, changed,
       CASE WHEN changed IS NOT NULL THEN row.transition_id END AS transition_id
