// What the notes of a repository say about things: candidates, and the entities whose exact names, ids or paths they hold.
// :params {scope: 'project:atlas'}
MATCH (c:Candidate {scope: $scope})-[s:SUPPORTS]->(e:Entity)
WHERE c.retired_at IS NULL AND s.retired_at IS NULL
RETURN c, s, e
