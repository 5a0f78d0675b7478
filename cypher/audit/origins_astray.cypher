// Transitions of a chain that do not hang on the session, tool, chunk and source that they name, or hang on others.
// access: read
// scope: system
// params: chain STRING, page INTEGER
// returns: id, seq, target_id
MATCH (t:Transition {scope: $chain})
WHERE t.seq > 0
  AND (COLLECT { MATCH (t)-[:RECORDED_IN]->(s:Session {scope: t.scope}) RETURN s.session_id }
         <> [given IN [t.session_id] WHERE given IS NOT NULL]
    OR COLLECT { MATCH (t)-[:MADE_WITH]->(tool:Tool {scope: t.scope}) RETURN tool.name }
         <> [given IN [t.tool] WHERE given IS NOT NULL]
    OR COLLECT { MATCH (t)-[:FROM_CHUNK]->(c:ChunkRef {scope: t.scope}) RETURN c.chunk_ref }
         <> [given IN [t.chunk_ref] WHERE given IS NOT NULL]
    OR COLLECT { MATCH (t)-[:READ_FROM]->(source:Source {scope: t.scope}) RETURN source.source_ref }
         <> [given IN [t.source_ref] WHERE given IS NOT NULL]
    OR EXISTS { MATCH (t)-[:BECAUSE_OF]->(d:Decision) WHERE d.id <> coalesce(t.decision_id, '') })
RETURN t.id AS id, t.seq AS seq, t.target_id AS target_id ORDER BY seq LIMIT $page
