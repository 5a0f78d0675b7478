// The external ids of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:ExternalId {scope: $chain})
WHERE x.scope + '|' + x.value > $after
RETURN x.scope + '|' + x.value AS id, 1 AS revision, true AS live,
       EXISTS { (x)-[:IDENTIFIES]->(:Entity {id: x.entity_id}) } AS coherent,
       {value: x.value, entity_id: x.entity_id} AS content,
       x.created_at AS created_at, x.created_by AS created_by, null AS updated_at, null AS updated_by
ORDER BY id LIMIT $page
