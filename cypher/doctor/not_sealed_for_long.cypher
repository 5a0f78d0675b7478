// Transitions that have waited for longer than ten minutes to be sealed into their scope's chain.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (t:Transition {unsealed: true})
WHERE t.at < datetime.realtime('Z') - duration({minutes: 10})
WITH t.id AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
