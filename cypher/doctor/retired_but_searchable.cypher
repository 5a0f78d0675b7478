// Retired observations, and those of retired entities, that are still in the full-text index.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Searchable)
WHERE e.retired_at IS NOT NULL OR o.retired_at IS NOT NULL
WITH o.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
