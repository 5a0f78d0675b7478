// The import that is under way or was cut off, if there is one.
// access: read
// scope: system
// params: none
// returns: sha256, edges_done, started_at
MATCH (i:Import {id: 'graphsvc'})
RETURN i.sha256 AS sha256, i.edges_done AS edges_done, toString(i.started_at) AS started_at
