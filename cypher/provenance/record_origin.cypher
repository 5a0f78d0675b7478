// Hang transitions on what caused them (session, tool, chunk, source, decision), so that an analyst can walk from
// each of these to all that came of it. These nodes belong to the scope of the transition.
// access: write
// scope: gated
// params: transition_ids LIST<STRING>, origin MAP, writable_scopes LIST<STRING>
// returns: linked
UNWIND $transition_ids AS transition_id
MATCH (t:Transition {id: transition_id})
WHERE t.scope IN $writable_scopes
FOREACH (session_id IN [value IN [$origin.session_id] WHERE value IS NOT NULL] |
  MERGE (s:Session {scope: t.scope, session_id: session_id})
  ON CREATE SET s.created_at = datetime.transaction('Z')
  MERGE (t)-[:RECORDED_IN]->(s)
)
FOREACH (name IN [value IN [$origin.tool] WHERE value IS NOT NULL] |
  MERGE (tool:Tool {scope: t.scope, name: name})
  ON CREATE SET tool.created_at = datetime.transaction('Z')
  MERGE (t)-[:MADE_WITH]->(tool)
)
FOREACH (chunk_ref IN [value IN [$origin.chunk_ref] WHERE value IS NOT NULL] |
  MERGE (c:ChunkRef {scope: t.scope, chunk_ref: chunk_ref})
  ON CREATE SET c.created_at = datetime.transaction('Z')
  MERGE (t)-[:FROM_CHUNK]->(c)
)
FOREACH (sha256 IN [value IN [$origin.source_ref_sha256] WHERE value IS NOT NULL] |
  MERGE (source:Source {scope: t.scope, sha256: sha256})
  ON CREATE SET source.source_ref = $origin.source_ref, source.created_at = datetime.transaction('Z')
  MERGE (t)-[:READ_FROM]->(source)
)
WITH t
CALL (t) {
  MATCH (d:Decision {id: $origin.decision_id})
  WHERE d.scope = t.scope
  MERGE (t)-[:BECAUSE_OF]->(d)
}
RETURN count(DISTINCT t) AS linked
