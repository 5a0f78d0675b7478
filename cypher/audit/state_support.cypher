// The memory-supports links of a scope as they stand in the graph, under the names that transitions give their content.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, content
MATCH (c:Candidate {scope: $chain})-[x:SUPPORTS]->(e:Entity)
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AS live,
       {candidate: c.id, entity_id: e.id, kind: x.kind, value: x.value, raw_path: x.raw_path,
        fact_sha256: x.fact_sha256} AS content
ORDER BY id LIMIT $page
