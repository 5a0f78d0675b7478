// How two things are connected: the shortest chains of relations between them, over at most six steps.
// parameters: from_name = where the chain starts, a name or an alias in any case; to_name = where it ends
// shows: graph
WITH 'Paul Adler' AS from_name, 'Mila Novak' AS to_name
MATCH (from_key:Alias {key: toLower(from_name)})-[from_names:NAMES]->(from:Entity)
WHERE from_key.scope IS NOT NULL AND from_names.retired_at IS NULL
MATCH (to_key:Alias {key: toLower(to_name)})-[to_names:NAMES]->(to:Entity)
WHERE to_key.scope IS NOT NULL AND to_names.retired_at IS NULL AND to <> from
MATCH chain = allShortestPaths((from)-[:RELATES_TO*..6]-(to))
WHERE all(step IN relationships(chain) WHERE step.retired_at IS NULL)
RETURN chain
LIMIT 10
