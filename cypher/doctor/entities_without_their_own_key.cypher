// Live entities whose own name is not one of their lookup keys, in their own scope.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (e:Entity)
WHERE e.retired_at IS NULL AND NOT EXISTS {
  MATCH (a:Alias)-[n:NAMES]->(e)
  WHERE n.primary AND n.retired_at IS NULL AND a.key = e.name_key AND a.scope = e.scope
}
WITH e.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
