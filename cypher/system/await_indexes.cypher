// Wait until all indexes are online, at most so many seconds.
// access: read
// scope: system
// params: seconds INTEGER
// returns: none
CALL db.awaitIndexes($seconds)
