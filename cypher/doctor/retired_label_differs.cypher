// Things whose label :Retired and whose retired_at disagree.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (x:Entity|Observation|WorkItem)
WHERE (x.retired_at IS NOT NULL) <> (x:Retired)
WITH x.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
