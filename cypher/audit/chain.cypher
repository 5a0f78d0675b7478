// A page of a scope's chain, in order.
// access: read
// scope: system
// params: chain STRING, after INTEGER, page INTEGER
// returns: entry
MATCH (t:Transition {scope: $chain})
WHERE t.seq > $after
RETURN properties(t) AS entry ORDER BY t.seq LIMIT $page
