// The facts of a scope as they stand in the graph, under the names that transitions give their content; `coherent`: their
// edges and what is derived from their content are as the content says.
// access: read
// scope: system
// params: chain STRING, after STRING, page INTEGER
// returns: id, revision, live, coherent, content, created_at, created_by, updated_at, updated_by
MATCH (x:Fact {scope: $chain})
WHERE x.id > $after
RETURN x.id AS id, x.revision AS revision, x.retired_at IS NULL AND NOT x:Retired AS live,
       x.text = x.subject + ' ' + x.predicate + ' ' + x.object AND x.owner_id = x.subject_id
         AND COLLECT { MATCH (x)-[:ABOUT]->(e:Entity) WHERE e.scope = x.owner_scope RETURN e.id } = [x.subject_id]
         AND COLLECT { MATCH (x)-[:OBJECT]->(e:Entity) RETURN e.id } = [id IN [x.object_id] WHERE id IS NOT NULL]
         AND COLLECT { MATCH (x)-[:FROM_CLAIM]->(c:Claim) RETURN c.id } = [x.claim_id]
         AND EXISTS { (x)<-[:DECIDED]-(:Decision {id: x.decision_id}) }
         AND COLLECT { MATCH (x)<-[:SUPERSEDES]-(f:Fact) RETURN f.id } = [id IN [x.superseded_by] WHERE id IS NOT NULL]
         AND EXISTS { (x)-[:CONTRADICTS]->(:Fact) } = coalesce(x.contradicted, false) AS coherent,
       {claim_id: x.claim_id, subject_id: x.subject_id, subject: x.subject, predicate: x.predicate,
        object_id: x.object_id, object: x.object, confidence: x.confidence, mode: x.mode, authority: x.authority,
        statement_sha256: x.statement_sha256, decision_id: x.decision_id, status: x.status, valid_from: x.valid_from,
        valid_to: x.valid_to, contradicted: x.contradicted, superseded_by: x.superseded_by} AS content,
       x.created_at AS created_at, x.created_by AS created_by, x.updated_at AS updated_at, x.updated_by AS updated_by
ORDER BY id LIMIT $page
