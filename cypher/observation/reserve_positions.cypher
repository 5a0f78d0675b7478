// Take the next places in a session, for observations that are recorded one after another.
// access: write
// scope: gated
// params: session_id STRING, count INTEGER, write_scope STRING
// returns: first
MERGE (s:Session {scope: $write_scope, session_id: $session_id})
ON CREATE SET s.created_at = datetime.transaction('Z')
SET s.last_position = coalesce(s.last_position, -1) + $count
RETURN s.last_position - $count + 1 AS first
