// The candidates of a scope as they stand in the graph, under the names that transitions give their content; `coherent`:
// what is derived from their content is as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Candidate {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       (x.key STARTS WITH x.scope + '|' OR x.key = 'erased|' + x.id) AS coherent,
       {repo: x.repo, source: x.source, path: x.path, candidate_id: x.candidate_id, status: x.status, fact: x.fact,
        fact_sha256: x.fact_sha256, confidence: x.confidence, findings: x.findings,
        content_sha256: x.content_sha256} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
