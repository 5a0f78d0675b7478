// Take the text of documents away, hash and chunks with it, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (x:Document {id: row.id})
WHERE coalesce(x.transition_id <> row.transition_id, true)
CALL (x) {
  MATCH (x)-[:HAS_CHUNK]->(chunk:Chunk)
  DETACH DELETE chunk
}
SET x.title = '[erased]', x.mime_type = null, x.content_sha256 = null, x.size_bytes = 0, x.key = 'erased|' + x.id,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END,
    x:Retired
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'document', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_title: x.title,
                      after_size_bytes: x.size_bytes})
SET t += $context
RETURN x.id AS id
