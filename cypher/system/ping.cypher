// Does the database answer?
// access: read
// scope: system
// params: none
// returns: ok
RETURN 1 AS ok
