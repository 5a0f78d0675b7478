// A decision stands on an approval.
// access: write
// scope: gated
// params: decision_id STRING, approval_id STRING, writable_scopes LIST<STRING>
// returns: none
MATCH (d:Decision {id: $decision_id})
MATCH (a:Approval {id: $approval_id})
WHERE d.scope IN $writable_scopes AND a.scope IN $writable_scopes
MERGE (d)-[:STANDS_ON]->(a)
