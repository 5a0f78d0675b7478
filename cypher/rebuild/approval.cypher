// Put approvals as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:Approval {id: row.id})
SET x += row.properties
MERGE (p:Principal {name: row.principal})
MERGE (p)-[:GAVE]->(x)
WITH row, x
CALL (row, x) {
  CALL (row) {
    MATCH (y:Claim {id: row.target_id}) RETURN y
    UNION
    MATCH (y:Fact {id: row.target_id}) RETURN y
    UNION
    MATCH (y:Scope {id: row.target_id}) RETURN y
  }
  MERGE (x)-[:APPROVES]->(y)
}
