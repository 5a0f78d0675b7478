// Put documents as a log left them into an empty database, with their chunks: the log keeps a text's hash, not the text.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:Document {id: row.id})
SET x += row.properties
SET x.key = coalesce(row.scope + '|' + row.content_sha256, 'erased|' + row.id)
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
FOREACH (chunk IN row.chunks |
  MERGE (c:Chunk {id: chunk.id})
  SET c = chunk
  MERGE (x)-[:HAS_CHUNK]->(c)
)
