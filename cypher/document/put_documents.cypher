// Store documents with their chunks in the write scope, or find and revive those whose text is there.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, changed, chunks, transition_id
UNWIND $rows AS row
MERGE (d:Document {key: $write_scope + '|' + row.content_sha256})
ON CREATE SET d.id = row.id, d.scope = $write_scope, d.title = row.title, d.mime_type = row.mime_type,
              d.content_sha256 = row.content_sha256, d.size_bytes = row.size_bytes, d.revision = 0,
              d.created_at = datetime.transaction('Z'), d.created_by = $context.principal
SET d.last_seen_at = CASE WHEN d.last_seen_at > datetime.transaction('Z') THEN d.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, d,
     CASE
       WHEN d.revision = 0 OR (d.id = row.id AND d.transition_id = row.transition_id) THEN 'created'
       WHEN d.retired_at IS NOT NULL OR d.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, d, changed) {
  WITH row, d, changed
  WHERE changed IS NOT NULL AND coalesce(d.transition_id <> row.transition_id, true)
  FOREACH (chunk IN CASE WHEN d.revision = 0 THEN row.chunks ELSE [] END |
    CREATE (d)-[:HAS_CHUNK]->(c:Chunk {id: chunk.id, scope: d.scope, document_id: d.id, position: chunk.position,
                                       start: chunk.start, end: chunk.end, text: chunk.text,
                                       sha256: chunk.sha256, created_at: d.created_at})
  )
  SET d.revision = d.revision + 1, d.transition_id = row.transition_id, d.retired_at = null, d.retired_by = null,
      d.updated_at = CASE WHEN d.updated_at > datetime.transaction('Z') THEN d.updated_at
                          ELSE datetime.transaction('Z') END,
      d.updated_by = $context.principal
  REMOVE d:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: d.id, target_kind: 'document', scope: d.scope,
                        revision: d.revision, at: d.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' ELSE 'revive' END,
                        after_title: d.title, after_mime_type: d.mime_type, after_content_sha256: d.content_sha256,
                        after_size_bytes: d.size_bytes})
  SET t += $context
}
RETURN row.index AS index, d.id AS id, changed,
       COLLECT {
         MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
         WITH c ORDER BY c.position
         RETURN c{.id, .start, .end, .sha256}
       } AS chunks,
       row.transition_id AS transition_id
