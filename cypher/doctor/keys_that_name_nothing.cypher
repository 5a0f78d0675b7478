// Lookup keys that name no entity.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (a:Alias)
WHERE NOT (a)-[:NAMES]->(:Entity)
WITH a.scope + '|' + a.key AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
