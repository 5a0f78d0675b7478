// Transitions that are neither sealed nor waiting to be.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (t:Transition)
WHERE t.seq IS NULL AND t.unsealed IS NULL
WITH t.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
