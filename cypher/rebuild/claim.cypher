// Put claims as a log left them into an empty database, with their evidence.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (s:Entity {id: row.subject_id})
MERGE (x:Claim {id: row.id})
SET x += row.properties
SET x.caption = row.subject + ' ' + row.predicate + ' ' + row.object
MERGE (x)-[:ABOUT]->(s)
FOREACH (part IN row.parts |
  MERGE (y:Evidence {id: part.id})
  SET y += part
  MERGE (x)-[:SUPPORTED_BY]->(y)
)
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
WITH row, x
CALL (row, x) {
  MATCH (o:Entity {id: row.object_id})
  MERGE (x)-[:OBJECT]->(o)
}
CALL (x) {
  MATCH (x)-[:SUPPORTED_BY]->(y:Evidence)
  MATCH (o:Observation {id: y.ref})
  MERGE (y)-[:REFERS_TO]->(o)
}
