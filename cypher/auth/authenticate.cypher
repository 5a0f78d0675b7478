// Find the principal behind a token hash, with its grants and the scopes that exist.
// access: read
// scope: system
// params: sha256 STRING
// returns: principal, kind, token_id, default_scope, wildcard, grants, scopes
MATCH (p:Principal)-[:HAS_TOKEN]->(t:Token {sha256: $sha256})
WHERE t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > datetime())
CALL (t) {
  OPTIONAL MATCH (t)-[g:GRANTS]->(s:Scope)
  RETURN collect(CASE WHEN s IS NULL THEN null ELSE {scope: s.id, actions: g.actions} END) AS grants
}
CALL (t) {
  MATCH (s:Scope)
  WHERE size(t.wildcard_actions) > 0 OR s.id = 'shared' OR EXISTS { (t)-[:GRANTS]->(s) }
  RETURN collect(s.id) AS scopes
}
RETURN p.name AS principal, p.kind AS kind, t.id AS token_id, t.default_scope AS default_scope,
       t.wildcard_actions AS wildcard, grants, scopes
