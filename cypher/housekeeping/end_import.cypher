// The import is finished.
// access: write
// scope: system
// params: none
// returns: none
MATCH (i:Import {id: 'graphsvc'})
DELETE i
