// Claims that wait for a decision, with what they are about and the evidence for them. A claim is not yet a fact.
// parameters: none
// shows: graph
MATCH (c:Claim {status: 'candidate'})
WHERE c.retired_at IS NULL
WITH c ORDER BY c.created_at LIMIT 30
MATCH about = (c)-[:ABOUT]->(:Entity)
RETURN about,
       [object = (c)-[:OBJECT]->(:Entity) | object] AS object,
       [evidence = (c)-[:SUPPORTED_BY]->(:Evidence) | evidence] AS evidence,
       [seen = (c)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(:Observation) | seen] AS seen
