// What memory files say about things: candidates, and the things whose exact names, ids or paths they hold.
// A candidate is no fact, and a link no proof: it says only that the text holds the name.
// parameters: none
// shows: graph
MATCH link = (c:Candidate)-[s:SUPPORTS]->(thing:Entity)
WHERE c.retired_at IS NULL AND s.retired_at IS NULL AND thing.retired_at IS NULL
RETURN link
LIMIT 60
