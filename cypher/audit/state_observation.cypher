// The observations of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (e:Entity)-[:HAS_OBSERVATION]->(x:Observation {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {text: x.text, entity_id: e.id, observed_at: x.observed_at, source_ref: x.source_ref} AS content
ORDER BY id LIMIT $page
