// Put decisions into an empty database, once all is there that was decided.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:Decision {id: row.id})
SET x += row.properties
SET x.caption = row.action + ': ' + row.verdict
WITH row, x
CALL (row, x) {
  MATCH (a:Approval {id: row.approval_id})
  MERGE (x)-[:STANDS_ON]->(a)
}
CALL (row, x) {
  UNWIND row.targets AS target_id
  CALL (target_id) {
    MATCH (y:Claim {id: target_id}) RETURN y
    UNION
    MATCH (y:Fact {id: target_id}) RETURN y
    UNION
    MATCH (y:Policy {id: target_id}) RETURN y
  }
  MERGE (x)-[:DECIDED]->(y)
}
CALL (row) {
  WITH row
  WHERE row.action = 'contradict'
  MATCH (f:Fact {id: row.targets[0]})
  MATCH (other:Fact {id: row.targets[1]})
  MERGE (f)-[:CONTRADICTS]->(other)
  MERGE (other)-[:CONTRADICTS]->(f)
}
