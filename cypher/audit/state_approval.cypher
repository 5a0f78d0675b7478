// The approvals of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Approval {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       COLLECT { MATCH (x)<-[:GAVE]-(p:Principal) RETURN p.name } = [x.principal]
         AND COLLECT { MATCH (x)-[:APPROVES]->(y) RETURN y.id } = [x.target_id] AS coherent,
       {target_id: x.target_id, action: x.action, statement_sha256: x.statement_sha256, principal: x.principal,
        token_id: x.token_id, expires_at: x.expires_at, used_at: x.used_at, used_by: x.used_by} AS content,
       x.created_at AS created_at, x.created_by AS created_by, null AS updated_at, null AS updated_by
ORDER BY id LIMIT $page
