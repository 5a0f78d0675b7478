// The candidates of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Candidate {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {repo: x.repo, source: x.source, path: x.path, candidate_id: x.candidate_id, status: x.status, fact: x.fact,
        fact_sha256: x.fact_sha256, confidence: x.confidence, findings: x.findings,
        content_sha256: x.content_sha256} AS content
ORDER BY id LIMIT $page
