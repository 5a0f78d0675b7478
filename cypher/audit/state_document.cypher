// The documents of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:Document {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {title: x.title, mime_type: x.mime_type, content_sha256: x.content_sha256, size_bytes: x.size_bytes} AS content
ORDER BY id LIMIT $page
