// The work items of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (x:WorkItem {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {external_id: x.external_id, title: x.title, body: x.body, status: x.status, due: x.due} AS content
ORDER BY id LIMIT $page
