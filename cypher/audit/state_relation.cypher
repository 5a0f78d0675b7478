// The relations of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (a:Entity)-[x:RELATES_TO {scope: $chain}]->(b:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {type: x.type, from_id: a.id, to_id: b.id, properties: properties(x)} AS content
ORDER BY id LIMIT $page
