// Things without the keys that keep them unique: no constraint holds where a key is missing.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
CALL () {
  MATCH (x:Entity)
  WHERE x.id IS NULL OR x.name_key IS NULL OR x.scope IS NULL
  RETURN coalesce(x.id, x.name) AS id
  UNION ALL
  MATCH (x:Observation)
  WHERE x.id IS NULL OR x.key IS NULL
  RETURN coalesce(x.id, x.key) AS id
  UNION ALL
  MATCH (x:WorkItem)
  WHERE x.id IS NULL
  RETURN x.key AS id
  UNION ALL
  MATCH ()-[x:RELATES_TO|NAMES|LINKED_TO]->()
  WHERE x.id IS NULL OR x.key IS NULL
  RETURN coalesce(x.id, x.key) AS id
}
WITH id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
