// The aliass of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (a:Alias {scope: $chain})-[x:NAMES]->(e:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {text: x.text, entity_id: e.id, primary: x.primary, own_scope: e.scope = x.scope} AS content
ORDER BY id LIMIT $page
