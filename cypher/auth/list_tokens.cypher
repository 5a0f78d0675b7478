// All tokens with their principals, grants and times; never a secret or its hash.
// access: read
// scope: system
// params: none
// returns: token_id, principal, kind, default_scope, wildcard, grants, created_at, expires_at, revoked_at
MATCH (p:Principal)-[:HAS_TOKEN]->(t:Token)
CALL (t) {
  OPTIONAL MATCH (t)-[g:GRANTS]->(s:Scope)
  RETURN collect(CASE WHEN s IS NULL THEN null ELSE {scope: s.id, actions: g.actions} END) AS grants
}
RETURN t.id AS token_id, p.name AS principal, p.kind AS kind, t.default_scope AS default_scope,
       t.wildcard_actions AS wildcard, grants, toString(t.created_at) AS created_at,
       toString(t.expires_at) AS expires_at, toString(t.revoked_at) AS revoked_at
ORDER BY token_id
