// Take the exact evidence of memory-supports links away, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (c:Candidate)-[x:SUPPORTS {id: row.id}]->(e:Entity)
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.value = '[erased]', x.raw_path = '[erased]', x.fact_sha256 = null, x.key = 'erased|' + x.id,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'support', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_candidate: c.id,
                      after_entity_id: e.id, after_kind: x.kind, after_value: x.value, after_raw_path: x.raw_path})
SET t += $context
RETURN x.id AS id
