// A map of one scope: the things in it and how they are related, also to things of other scopes.
// parameters: scope = the scope's id, 'shared' or 'project:…'
// shows: graph
WITH 'project:atlas' AS scope
MATCH (from:Entity {scope: scope})-[r:RELATES_TO]-(to:Entity)
WHERE r.retired_at IS NULL AND from.retired_at IS NULL AND to.retired_at IS NULL
RETURN from, r, to
LIMIT 40
