// The policies of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Policy {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       EXISTS { (:Scope {id: x.scope})-[:HAS_POLICY]->(x) }
         AND coalesce(x.current, false) <> EXISTS { MATCH (p:Policy {scope: x.scope}) WHERE p.version > x.version }
         AND (x.current IS NULL OR EXISTS { (:Scope {id: x.scope, sensitive: x.sensitive}) }) AS coherent,
       {version: x.version, sensitive: x.sensitive, multi_evidence: x.multi_evidence,
        sensitive_kinds: x.sensitive_kinds, rationale: x.rationale} AS content,
       x.created_at AS created_at, x.created_by AS created_by, null AS updated_at, null AS updated_by
ORDER BY id LIMIT $page
