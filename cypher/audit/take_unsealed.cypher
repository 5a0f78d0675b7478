// Some transitions of a scope that its chain does not hold yet.
// access: read
// scope: system
// params: chain STRING, page INTEGER
// returns: entry
MATCH (t:Transition {unsealed: true, scope: $chain})
RETURN properties(t) AS entry LIMIT $page
