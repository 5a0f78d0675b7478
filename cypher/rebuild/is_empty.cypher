// Whether there is nothing at all in the database.
// access: read
// scope: system
// params: none
// returns: empty
RETURN NOT EXISTS { MATCH (n) } AS empty
