// The live candidates of one repository in the write scope.
// access: read
// scope: gated
// params: repo STRING, write_scope STRING
// returns: id, key, source, path
MATCH (c:Candidate)
WHERE c.scope = $write_scope AND c.repo = $repo AND c.retired_at IS NULL
RETURN c.id AS id, c.key AS key, c.source AS source, c.path AS path
ORDER BY id
