// The documents of a scope as they stand in the graph, under the names that transitions give their content; `coherent`:
// what is derived from their content is as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Document {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       x.key IN [x.scope + '|' + x.content_sha256, 'erased|' + x.id]
         AND reduce(size = 0, c IN [(x)-[:HAS_CHUNK]->(c:Chunk) | c.end - c.start] | size + c) = x.size_bytes AS coherent,
       {title: x.title, mime_type: x.mime_type, content_sha256: x.content_sha256, size_bytes: x.size_bytes} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
