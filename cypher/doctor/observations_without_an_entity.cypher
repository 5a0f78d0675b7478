// Observations that hang on no entity, or on several.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (o:Observation)
WHERE COUNT { (:Entity)-[:HAS_OBSERVATION]->(o) } <> 1
WITH o.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
