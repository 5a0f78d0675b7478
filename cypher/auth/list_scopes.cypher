// The scopes that the caller may read.
// access: read
// scope: gated
// params: visible_scopes LIST<STRING>
// returns: id, kind, title, sensitive, created_at
MATCH (s:Scope)
WHERE s.id IN $visible_scopes
RETURN s.id AS id, s.kind AS kind, s.title AS title, s.sensitive AS sensitive, toString(s.created_at) AS created_at
ORDER BY id
