// Store a token's hash with its grants. A principal keeps the kind it was made with; another kind changes nothing.
// access: write
// scope: system
// params: token MAP
// returns: token_id, kind
MERGE (p:Principal {name: $token.principal})
ON CREATE SET p.kind = $token.kind, p.created_at = datetime.transaction('Z')
WITH p
WHERE p.kind = $token.kind
MERGE (t:Token {id: $token.id})
ON CREATE SET t.sha256 = $token.sha256, t.default_scope = $token.default_scope,
              t.wildcard_actions = $token.wildcard_actions, t.expires_at = $token.expires_at,
              t.created_at = datetime.transaction('Z'), t.created_by = $token.created_by
MERGE (p)-[:HAS_TOKEN]->(t)
WITH p, t
CALL (t) {
  UNWIND $token.grants AS grant
  MERGE (s:Scope {id: grant.scope})
  ON CREATE SET s.kind = CASE WHEN grant.scope = 'shared' THEN 'shared' ELSE 'project' END, s.title = grant.scope,
                s.sensitive = false, s.created_at = datetime.transaction('Z')
  MERGE (t)-[g:GRANTS]->(s)
  SET g.actions = grant.actions
}
RETURN t.id AS token_id, p.kind AS kind
