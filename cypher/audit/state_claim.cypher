// The claims of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, evidence, created_at, created_by, updated_at, updated_by
MATCH (x:Claim {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       x.caption = x.subject + ' ' + x.predicate + ' ' + x.object
         AND COLLECT { MATCH (x)-[:ABOUT]->(e:Entity) RETURN e.id } = [x.subject_id]
         AND COLLECT { MATCH (x)-[:OBJECT]->(e:Entity) RETURN e.id } = [id IN [x.object_id] WHERE id IS NOT NULL] AS coherent,
       {subject_id: x.subject_id, subject: x.subject, predicate: x.predicate, object_id: x.object_id, object: x.object,
        confidence: x.confidence, evidence: x.evidence, statement_sha256: x.statement_sha256, status: x.status} AS content,
       COLLECT {
         MATCH (x)-[:SUPPORTED_BY]->(part:Evidence)
         WHERE part.scope = x.scope
         WITH part ORDER BY toInteger(split(part.id, '/')[-1])
         RETURN part{.id, .kind, .ref, .source_ref, .excerpt, .weight}
       } AS evidence,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
