// Who knows what about a thing: what is recorded of it, what it is related to, and who recorded that.
// Two things that share the name are both shown. Whoever recorded something without a session shows as its node's
// property created_by.
// parameters: name = a name or an alias, in any case
// shows: graph
WITH 'Acme Print' AS name
MATCH (key:Alias {key: toLower(name)})-[names:NAMES]->(thing:Entity)
WHERE key.scope IS NOT NULL AND names.retired_at IS NULL
WITH DISTINCT thing
RETURN thing,
       [known = (thing)-[:HAS_OBSERVATION]->(o:Observation) WHERE o.retired_at IS NULL | known][..25] AS known,
       [related = (thing)-[r:RELATES_TO]-(:Entity) WHERE r.retired_at IS NULL | related][..25] AS related,
       COLLECT {
         MATCH (thing)-[:HAS_OBSERVATION]->(o:Observation)
         WHERE o.retired_at IS NULL
         MATCH recorded = (:Transition {target_id: o.id})-[:RECORDED_IN]->(:Session)
         RETURN recorded LIMIT 25
       } AS recorded
