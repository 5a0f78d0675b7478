// The decisions of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Decision {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {action: x.action, verdict: x.verdict, mode: x.mode, principal: x.principal, principal_kind: x.principal_kind,
                   rationale: x.rationale, policy_version: x.policy_version, approval_id: x.approval_id,
                   target_id: x.target_id, statement_sha256: x.statement_sha256} AS content
ORDER BY id LIMIT $page
