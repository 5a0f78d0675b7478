// Hang transitions on the session that caused them, so that an analyst can walk from a session to what it did.
// access: write
// scope: gated
// params: transition_ids LIST<STRING>, session_id STRING, write_scope STRING
// returns: linked
MERGE (s:Session {scope: $write_scope, session_id: $session_id})
ON CREATE SET s.created_at = datetime.transaction('Z')
WITH s
UNWIND $transition_ids AS transition_id
MATCH (t:Transition {id: transition_id})
MERGE (t)-[:RECORDED_IN]->(s)
RETURN count(*) AS linked
