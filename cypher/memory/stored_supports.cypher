// The live memory-supports links of one repository in the write scope, those to things that are retired by now included.
// access: read
// scope: gated
// params: repo STRING, write_scope STRING
// returns: id, key, candidate, candidate_id, target, kind, value, raw_path, fact_sha256
MATCH (c:Candidate)-[s:SUPPORTS]->(e:Entity)
WHERE c.scope = $write_scope AND c.repo = $repo AND c.retired_at IS NULL AND s.retired_at IS NULL
RETURN s.id AS id, s.key AS key, c.id AS candidate, c.candidate_id AS candidate_id, e.id AS target, s.kind AS kind,
       s.value AS value, s.raw_path AS raw_path, s.fact_sha256 AS fact_sha256
ORDER BY id
