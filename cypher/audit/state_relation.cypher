// The relations of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (a:Entity)-[x:RELATES_TO {scope: $chain}]->(b:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       x.key = a.id + '|' + x.type_key + '|' + b.id + '|' + x.scope
         AND x.caption = CASE WHEN x.retired_at IS NULL THEN x.type ELSE '✗ ' + x.type END AS coherent,
       {type: x.type, from_id: a.id, to_id: b.id, properties: properties(x)} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
