// Put facts as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (c:Claim {id: row.claim_id})
MATCH (s:Entity {id: row.subject_id})
MERGE (x:Fact {id: row.id})
SET x += row.properties
SET x.text = row.subject + ' ' + row.predicate + ' ' + row.object, x.owner_id = s.id, x.owner_scope = s.scope
MERGE (x)-[:FROM_CLAIM]->(c)
MERGE (x)-[:ABOUT]->(s)
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
WITH row, x
CALL (row, x) {
  MATCH (o:Entity {id: row.object_id})
  MERGE (x)-[:OBJECT]->(o)
}
