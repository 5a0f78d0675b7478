// The decisions of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Decision {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       x.caption = x.action + ': ' + x.verdict
         AND COLLECT { MATCH (x)-[:STANDS_ON]->(a:Approval) RETURN a.id } = [id IN [x.approval_id] WHERE id IS NOT NULL] AS coherent,
       {action: x.action, verdict: x.verdict, mode: x.mode, principal: x.principal, principal_kind: x.principal_kind,
        rationale: x.rationale, policy_version: x.policy_version, approval_id: x.approval_id, target_id: x.target_id,
        statement_sha256: x.statement_sha256, targets: COLLECT { MATCH (x)-[:DECIDED]->(y) RETURN y.id ORDER BY y.id }} AS content,
       x.created_at AS created_at, x.created_by AS created_by, null AS updated_at, null AS updated_by
ORDER BY id LIMIT $page
