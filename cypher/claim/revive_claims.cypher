// Revive claims. Facts that came of them stand on their own.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (c:Claim {id: row.id})
WHERE c.scope IN $writable_scopes
SET c.locked = true
REMOVE c.locked
WITH row, c
WHERE c.retired_at IS NOT NULL OR c.transition_id = row.transition_id
CALL (row, c) {
  WITH row, c
  WHERE c.retired_at IS NOT NULL
  SET c.revision = c.revision + 1, c.transition_id = row.transition_id,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal, c.retired_at = null, c.retired_by = null
  REMOVE c:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'claim', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: 'revive',
                        after_subject_id: c.subject_id, after_subject: c.subject, after_predicate: c.predicate,
                        after_object_id: c.object_id, after_object: c.object, after_confidence: c.confidence,
                        after_evidence: c.evidence, after_statement_sha256: c.statement_sha256,
                        after_status: c.status})
  SET t += $context
}
RETURN row.index AS index, c.id AS id, row.transition_id AS transition_id
