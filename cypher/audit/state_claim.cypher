// The claims of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Claim {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {subject_id: x.subject_id, subject: x.subject, predicate: x.predicate, object_id: x.object_id, object: x.object,
                   confidence: x.confidence, evidence: x.evidence, statement_sha256: x.statement_sha256, status: x.status} AS content
ORDER BY id LIMIT $page
