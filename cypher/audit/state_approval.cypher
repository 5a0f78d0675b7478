// The approvals of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Approval {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {target_id: x.target_id, action: x.action, statement_sha256: x.statement_sha256, principal: x.principal,
                   expires_at: x.expires_at, used_at: x.used_at, used_by: x.used_by} AS content
ORDER BY id LIMIT $page
