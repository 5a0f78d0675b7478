// Relations, names and task links whose scope is missing, or is not a scope that there is.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH ()-[x:RELATES_TO|NAMES|LINKED_TO]->()
WHERE x.scope IS NULL OR NOT EXISTS { (:Scope {id: x.scope}) }
WITH x.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
