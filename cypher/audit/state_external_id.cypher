// The external ids of a scope as they stand in the graph.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:ExternalId {scope: $chain})
WHERE x.scope + '|' + x.value > $after
RETURN x.scope + '|' + x.value AS id, 1 AS revision, true AS live, {value: x.value, entity_id: x.entity_id} AS content
ORDER BY id LIMIT $page
