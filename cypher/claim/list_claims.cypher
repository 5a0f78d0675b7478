// Visible live claims, by id from a place on, newest knowledge of their status included.
// access: read
// scope: gated
// params: status STRING, subject_id STRING, after STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: claims
MATCH (c:Claim)-[:ABOUT]->(s:Entity)
WHERE c.scope IN $visible_scopes AND c.id > $after AND c.retired_at IS NULL
  AND ($status IS NULL OR c.status = $status) AND ($subject_id IS NULL OR c.subject_id = $subject_id)
  AND s.scope IN $visible_scopes AND s.retired_at IS NULL
OPTIONAL MATCH (c)-[:OBJECT]->(o:Entity)
WITH c, o
WHERE o IS NULL OR (o.scope IN $visible_scopes AND o.retired_at IS NULL)
WITH c ORDER BY c.id LIMIT $page
RETURN collect(c{.id, .scope, .subject, .subject_id, .predicate, .object, .object_id, .confidence, .evidence, .status,
                 .statement_sha256, created_at: toString(c.created_at), .created_by}) AS claims
