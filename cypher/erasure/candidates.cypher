// Replace what candidates of memory files say by a tombstone, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (x:Candidate {id: row.id})
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.path = '[erased]', x.fact = null, x.fact_sha256 = null, x.content_sha256 = null, x.findings = null,
    x.candidate_id = null, x.key = 'erased|' + x.id,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END,
    x:Retired
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'candidate', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_repo: x.repo,
                      after_source: x.source, after_path: x.path, after_status: x.status, after_confidence: x.confidence})
SET t += $context
RETURN x.id AS id
