// Visible live facts, by id from a place on.
// access: read
// scope: gated
// params: status STRING, subject_id STRING, after STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: facts
MATCH (f:Fact)-[:ABOUT]->(s:Entity)
WHERE f.scope IN $visible_scopes AND f.id > $after AND f.retired_at IS NULL
  AND ($status IS NULL OR f.status = $status) AND ($subject_id IS NULL OR f.subject_id = $subject_id)
  AND s.scope IN $visible_scopes AND s.retired_at IS NULL
OPTIONAL MATCH (f)-[:OBJECT]->(o:Entity)
WITH f, o
WHERE o IS NULL OR (o.scope IN $visible_scopes AND o.retired_at IS NULL)
WITH f ORDER BY f.id LIMIT $page
RETURN collect(f{.id, .scope, .subject, .subject_id, .predicate, .object, .object_id, .confidence, .mode, .status,
                 .contradicted, .superseded_by, .claim_id, .decision_id, .statement_sha256,
                 valid_from: toString(f.valid_from), valid_to: toString(f.valid_to),
                 created_at: toString(f.created_at)}) AS facts
