// Keep the candidates of memory files in the write scope: made once, brought up to date, revived. A candidate is no fact.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MERGE (c:Candidate {key: $write_scope + '|' + row.key})
ON CREATE SET c.id = row.id, c.scope = $write_scope, c.repo = row.repo, c.source = row.source, c.path = row.path,
              c.revision = 0, c.created_at = datetime.transaction('Z'), c.created_by = $context.principal
SET c.last_seen_at = CASE WHEN c.last_seen_at > datetime.transaction('Z') THEN c.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, c, c{.candidate_id, .status, .fact, .fact_sha256, .confidence, .findings, .content_sha256} AS before
WITH row, c, before,
     any(name IN keys(row.content) WHERE coalesce(before[name] <> row.content[name],
                                                  before[name] IS NOT NULL OR row.content[name] IS NOT NULL)) AS differs
WITH row, c, before,
     CASE
       WHEN c.revision = 0 THEN 'create'
       WHEN c.transition_id = row.transition_id THEN null
       WHEN c.retired_at IS NOT NULL THEN 'revive'
       WHEN differs THEN 'update'
     END AS op
CALL (row, c, before, op) {
  WITH row, c, before, op
  WHERE op IS NOT NULL
  SET c += row.content
  SET c.revision = c.revision + 1, c.transition_id = row.transition_id, c.retired_at = null, c.retired_by = null,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal
  REMOVE c:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'candidate', scope: c.scope,
                        revision: c.revision, at: c.updated_at, op: op,
                        after_repo: c.repo, after_source: c.source, after_path: c.path,
                        after_candidate_id: c.candidate_id, after_status: c.status, after_fact: c.fact,
                        after_fact_sha256: c.fact_sha256, after_confidence: c.confidence,
                        after_findings: c.findings, after_content_sha256: c.content_sha256})
  SET t += $context
  FOREACH (ignored IN CASE WHEN op = 'create' THEN [] ELSE [1] END |
    SET t.before_candidate_id = before.candidate_id, t.before_status = before.status,
        t.before_content_sha256 = before.content_sha256
  )
}
OPTIONAL MATCH (t:Transition {id: row.transition_id})
RETURN row.index AS index, c.id AS id,
       CASE t.op WHEN 'create' THEN 'created' WHEN 'update' THEN 'updated' WHEN 'revive' THEN 'revived' END AS changed,
       t.id AS transition_id
