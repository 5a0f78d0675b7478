// Make candidate claims, or find (and revive) the very same ones. A claim is not a fact: no search shows it as one.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, changed, status, transition_id
UNWIND $rows AS row
MATCH (s:Entity {id: row.subject_id})
WHERE s.scope IN $visible_scopes AND s.retired_at IS NULL AND row.scope IN $writable_scopes
MERGE (c:Claim {statement_sha256: row.statement_sha256})
ON CREATE SET c.id = row.id, c.scope = row.scope, c.subject_id = s.id, c.subject = row.subject,
              c.predicate = row.predicate, c.object_id = row.object_id, c.object = row.object,
              c.confidence = row.confidence, c.evidence = row.evidence_json, c.caption = row.caption,
              c.status = 'candidate', c.revision = 0,
              c.created_at = datetime.transaction('Z'), c.created_by = $context.principal
SET c.last_seen_at = CASE WHEN c.last_seen_at > datetime.transaction('Z') THEN c.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, s, c,
     CASE
       WHEN c.revision = 0 OR (c.id = row.id AND c.transition_id = row.transition_id) THEN 'created'
       WHEN c.retired_at IS NOT NULL OR c.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, s, c, changed) {
  WITH row, s, c, changed
  WHERE changed IS NOT NULL AND coalesce(c.transition_id <> row.transition_id, true)
  FOREACH (ignored IN CASE WHEN c.revision = 0 THEN [1] ELSE [] END |
    CREATE (c)-[:ABOUT]->(s)
    FOREACH (part IN row.evidence |
      CREATE (c)-[:SUPPORTED_BY]->(x:Evidence {id: part.id, scope: c.scope, kind: part.kind, ref: part.ref,
                                               source_ref: part.source_ref, excerpt: part.excerpt, weight: part.weight})
    )
  )
  SET c.revision = c.revision + 1, c.transition_id = row.transition_id, c.retired_at = null, c.retired_by = null,
      c.updated_at = CASE WHEN c.updated_at > datetime.transaction('Z') THEN c.updated_at
                          ELSE datetime.transaction('Z') END,
      c.updated_by = $context.principal
  REMOVE c:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: c.id, target_kind: 'claim', scope: c.scope,
                        revision: c.revision, at: c.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' ELSE 'revive' END,
                        after_subject_id: c.subject_id, after_subject: c.subject, after_predicate: c.predicate,
                        after_object_id: c.object_id, after_object: c.object, after_confidence: c.confidence,
                        after_evidence: c.evidence, after_statement_sha256: c.statement_sha256,
                        after_status: c.status})
  SET t += $context
}
CALL (row, c) {
  MATCH (o:Entity {id: row.object_id})
  WHERE o.scope IN $visible_scopes
  MERGE (c)-[:OBJECT]->(o)
}
CALL (row, c) {
  MATCH (c)-[:SUPPORTED_BY]->(x:Evidence)
  MATCH (o:Observation {id: x.ref})
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  MERGE (x)-[:REFERS_TO]->(o)
}
RETURN row.index AS index, c.id AS id, changed, c.status AS status, row.transition_id AS transition_id
