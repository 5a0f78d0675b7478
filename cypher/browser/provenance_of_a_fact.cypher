// Where a fact comes from: decision, approval, claim, evidence, observations, and the sessions that recorded them.
// In Neo4j Browser: first `:param id => "fact_…"`
MATCH (f:Fact {id: $id})
OPTIONAL MATCH why = (f)<-[:DECIDED]-(:Decision)-[:STANDS_ON]->(:Approval)<-[:GAVE]-(:Principal)
OPTIONAL MATCH decided = (f)<-[:DECIDED]-(:Decision)
OPTIONAL MATCH claimed = (f)-[:FROM_CLAIM]->(:Claim)-[:SUPPORTED_BY]->(evidence:Evidence)
OPTIONAL MATCH seen = (evidence)-[:REFERS_TO]->(o:Observation)
OPTIONAL MATCH recorded = (t:Transition {target_id: o.id})-[:RECORDED_IN|MADE_WITH|FROM_CHUNK|READ_FROM]->()
RETURN f, why, decided, claimed, seen, recorded
