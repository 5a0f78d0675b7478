// The text of a live document, or of one chunk of it, in pieces.
// access: read
// scope: gated
// params: id STRING, chunk_id STRING, visible_scopes LIST<STRING>
// returns: texts
MATCH (d:Document {id: $id})
WHERE d.scope IN $visible_scopes AND d.retired_at IS NULL
MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
WHERE $chunk_id IS NULL OR c.id = $chunk_id
WITH c ORDER BY c.position
RETURN collect(c.text) AS texts
