// A person approves one exact statement, once, until it expires. Only people with the grant come here.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: id, expires_at, transition_id
MATCH (p:Principal {name: $context.principal, kind: 'human'})
WHERE $row.scope IN $writable_scopes
MERGE (a:Approval {id: $row.id})
ON CREATE SET a.scope = $row.scope, a.target_id = $row.target_id, a.action = $row.action,
              a.statement_sha256 = $row.statement_sha256, a.principal = p.name, a.token_id = $row.token_id,
              a.created_at = datetime.transaction('Z'), a.created_by = p.name, a.revision = 1,
              a.expires_at = datetime.transaction('Z') + duration({seconds: $row.ttl_s}),
              a.transition_id = $row.transition_id
MERGE (p)-[:GAVE]->(a)
WITH p, a
CALL (a) {
  CALL (a) {
    MATCH (x:Claim {id: a.target_id}) RETURN x
    UNION
    MATCH (x:Fact {id: a.target_id}) RETURN x
    UNION
    MATCH (x:Scope {id: a.target_id}) RETURN x
  }
  MERGE (a)-[:APPROVES]->(x)
}
MERGE (t:Transition {id: $row.transition_id})
ON CREATE SET t.target_id = a.id, t.target_kind = 'approval', t.scope = a.scope, t.revision = 1, t.at = a.created_at,
              t.op = 'create', t.after_target_id = a.target_id, t.after_action = a.action,
              t.after_statement_sha256 = a.statement_sha256, t.after_principal = a.principal, t.after_token_id = a.token_id,
              t.after_expires_at = a.expires_at, t.after_used_at = a.used_at, t.after_used_by = a.used_by, t += $context
RETURN a.id AS id, toString(a.expires_at) AS expires_at, t.id AS transition_id
