// Names and aliases that mean more than one live thing. Nobody guesses: whoever asks for one of them is told that it
// is ambiguous, if both owners are visible.
// parameters: none
// shows: graph
MATCH (key:Alias)-[names:NAMES]->(thing:Entity)
WHERE names.retired_at IS NULL AND thing.retired_at IS NULL
WITH key.key AS name, count(DISTINCT thing) AS owners
WHERE owners > 1
MATCH ambiguous = (key:Alias {key: name})-[names:NAMES]->(thing:Entity)
WHERE key.scope IS NOT NULL AND names.retired_at IS NULL AND thing.retired_at IS NULL
RETURN ambiguous
LIMIT 100
