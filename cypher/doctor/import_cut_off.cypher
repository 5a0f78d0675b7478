// An import that was begun and not finished.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (i:Import)
WITH i.sha256 AS id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
