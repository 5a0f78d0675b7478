// Live observations of live entities that are not in the full-text index.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Observation)
WHERE e.retired_at IS NULL AND o.retired_at IS NULL AND NOT o:Searchable
WITH o.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
