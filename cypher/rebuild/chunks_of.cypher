// The chunks of documents, in order.
// access: read
// scope: system
// params: ids LIST<STRING>
// returns: id, chunks
UNWIND $ids AS id
MATCH (:Document {id: id})-[:HAS_CHUNK]->(c:Chunk)
WITH id, c ORDER BY id, c.position
RETURN id, collect(properties(c)) AS chunks
