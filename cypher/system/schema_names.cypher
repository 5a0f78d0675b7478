// The names of all constraints and indexes that are there, and the state of the indexes.
// access: read
// scope: system
// params: none
// returns: name, state
SHOW INDEXES YIELD name, state
RETURN name, state
