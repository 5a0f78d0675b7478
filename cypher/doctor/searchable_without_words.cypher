// Things that the full-text index should find, and that have no words for it.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (x:Searchable)
WHERE x.terms IS NULL
WITH coalesce(x.id, x.key) AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
