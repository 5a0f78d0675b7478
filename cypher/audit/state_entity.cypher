// The entities of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Entity {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       [(x)-[m:MERGED_INTO]->(into:Entity) WHERE m.retired_at IS NULL | into.id]
         = CASE WHEN x.merged_into IS NULL THEN [] ELSE [x.merged_into] END AS coherent,
       {name: x.name, kind: x.kind, merged_into: x.merged_into} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
