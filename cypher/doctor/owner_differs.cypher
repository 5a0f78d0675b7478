// Observations that say that they belong to another entity, or scope of one, than they hang on.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Observation)
WHERE coalesce(o.owner_id <> e.id, true) OR coalesce(o.owner_scope <> e.scope, true)
WITH o.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
