// Revive candidates of memory files. Their links read as absent with them, and return with them.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (c:Candidate {id: row.id})
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
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'candidate', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: 'revive',
                        after_repo: c.repo, after_source: c.source, after_path: c.path,
                        after_candidate_id: c.candidate_id, after_status: c.status, after_fact: c.fact,
                        after_fact_sha256: c.fact_sha256, after_confidence: c.confidence,
                        after_findings: c.findings, after_content_sha256: c.content_sha256})
  SET t += $context
}
RETURN row.index AS index, c.id AS id, row.transition_id AS transition_id
