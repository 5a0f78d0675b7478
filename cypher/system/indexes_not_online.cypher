// Which indexes are not online yet.
// access: read
// scope: system
// params: none
// returns: name
SHOW INDEXES YIELD name, state
WHERE state <> 'ONLINE'
RETURN name
