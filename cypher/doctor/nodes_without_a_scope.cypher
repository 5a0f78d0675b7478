// Content nodes whose scope is missing, or is not a scope that there is.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (x:Entity|Observation|Alias|ExternalId|WorkItem|Claim|Fact|Decision|Approval|Policy|Transition|Session)
WHERE x.scope IS NULL OR NOT EXISTS { (:Scope {id: x.scope}) }
WITH coalesce(x.id, x.key, x.value, x.session_id) AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
