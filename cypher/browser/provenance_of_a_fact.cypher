// Where the facts about a thing come from: decision, approval and who gave it, claim, evidence, observations, and the
// sessions in which these were recorded.
// parameters: name = a name or an alias of the thing, in any case
// shows: graph
WITH 'Acme Print' AS name
MATCH (key:Alias {key: toLower(name)})-[:NAMES]->(thing:Entity)
WHERE key.scope IS NOT NULL
WITH DISTINCT thing
MATCH about = (f:Fact)-[:ABOUT]->(thing)
RETURN about,
       [decided = (f)<-[:DECIDED]-(:Decision) | decided] AS decided,
       [approved = (f)<-[:DECIDED]-(:Decision)-[:STANDS_ON]->(:Approval)<-[:GAVE]-(:Principal) | approved] AS approved,
       [claimed = (f)-[:FROM_CLAIM]->(:Claim)-[:SUPPORTED_BY]->(:Evidence) | claimed] AS claimed,
       [seen = (f)-[:FROM_CLAIM]->(:Claim)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(:Observation) | seen] AS seen,
       COLLECT {
         MATCH (f)-[:FROM_CLAIM]->(:Claim)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(o:Observation)
         MATCH recorded = (:Transition {target_id: o.id})-[:RECORDED_IN|MADE_WITH|FROM_CHUNK|READ_FROM]->()
         RETURN recorded LIMIT 25
       } AS recorded
