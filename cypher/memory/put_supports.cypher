// Link candidates to entities because of exact evidence: made once, found again, or revived. No proof of truth.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, write_scope STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MATCH (c:Candidate {id: row.candidate})
WHERE c.scope = $write_scope AND c.retired_at IS NULL
MATCH (e:Entity {id: row.entity_id})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
MERGE (c)-[s:SUPPORTS {key: row.key}]->(e)
ON CREATE SET s.id = row.id, s.scope = c.scope, s.kind = row.kind, s.value = row.value, s.raw_path = row.raw_path,
              s.fact_sha256 = row.fact_sha256, s.revision = 0,
              s.created_at = datetime.transaction('Z'), s.created_by = $context.principal
SET s.last_seen_at = CASE WHEN s.last_seen_at > datetime.transaction('Z') THEN s.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, c, e, s,
     CASE
       WHEN s.revision = 0 OR (s.id = row.id AND s.transition_id = row.transition_id) THEN 'created'
       WHEN s.retired_at IS NOT NULL OR s.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, c, e, s, changed) {
  WITH row, c, e, s, changed
  WHERE changed IS NOT NULL AND coalesce(s.transition_id <> row.transition_id, true)
  SET s.revision = s.revision + 1, s.transition_id = row.transition_id, s.retired_at = null, s.retired_by = null,
      s.updated_at = CASE WHEN s.updated_at > datetime.transaction('Z') THEN s.updated_at
                          ELSE datetime.transaction('Z') END,
      s.updated_by = $context.principal
  CREATE (t:Transition {id: row.transition_id, target_id: s.id, target_kind: 'support', scope: s.scope,
                        revision: s.revision, at: s.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' ELSE 'revive' END,
                        after_candidate: c.id, after_entity_id: e.id, after_kind: s.kind, after_value: s.value,
                        after_raw_path: s.raw_path, after_fact_sha256: s.fact_sha256})
  SET t += $context
}
RETURN row.index AS index, s.id AS id, changed, row.transition_id AS transition_id
