// The facts of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Fact {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {claim_id: x.claim_id, subject_id: x.subject_id, subject: x.subject, predicate: x.predicate,
                   object_id: x.object_id, object: x.object, confidence: x.confidence, mode: x.mode,
                   authority: x.authority, statement_sha256: x.statement_sha256, decision_id: x.decision_id,
                   status: x.status, valid_from: x.valid_from, valid_to: x.valid_to, contradicted: x.contradicted,
                   superseded_by: x.superseded_by} AS content
ORDER BY id LIMIT $page
