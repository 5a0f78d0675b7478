// What became of what was read about a thing: chunk, source, session and tool of each note, the claims that stand on it, the
// facts made of them, and the decision and the approval behind each fact.
// parameters: name = a name or an alias of the thing, in any case
// shows: graph
WITH 'Acme Print' AS name
MATCH (key:Alias {key: toLower(name)})-[:NAMES]->(thing:Entity)
WHERE key.scope IS NOT NULL
WITH DISTINCT thing
MATCH noted = (thing)-[:HAS_OBSERVATION]->(o:Observation)
WITH noted, o ORDER BY o.id DESC LIMIT 50
RETURN noted,
       COLLECT {
         MATCH recorded = (:Transition {target_id: o.id})-[:RECORDED_IN|MADE_WITH|FROM_CHUNK|READ_FROM|BECAUSE_OF]->()
         RETURN recorded LIMIT 25
       } AS recorded,
       [claimed = (o)<-[:REFERS_TO]-(:Evidence)<-[:SUPPORTED_BY]-(:Claim) | claimed] AS claimed,
       COLLECT {
         MATCH (o)<-[:REFERS_TO]-(:Evidence)<-[:SUPPORTED_BY]-(c:Claim)
         MATCH promoted = (c)<-[:FROM_CLAIM]-(:Fact)<-[:DECIDED]-(:Decision)
         RETURN promoted LIMIT 25
       } AS promoted,
       COLLECT {
         MATCH (o)<-[:REFERS_TO]-(:Evidence)<-[:SUPPORTED_BY]-(:Claim)<-[:FROM_CLAIM]-(f:Fact)
         MATCH approved = (f)<-[:DECIDED]-(:Decision)-[:STANDS_ON]->(:Approval)<-[:GAVE]-(:Principal)
         RETURN approved LIMIT 25
       } AS approved
