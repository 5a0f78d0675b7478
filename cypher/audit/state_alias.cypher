// The aliases of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (a:Alias {scope: $chain})-[x:NAMES]->(e:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       x.key IN [a.scope + '|' + e.id + '|' + a.key, 'erased|' + x.id] AS coherent,
       {text: x.text, entity_id: e.id, primary: x.primary, own_scope: e.scope = x.scope} AS content,
       null AS created_at, null AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
