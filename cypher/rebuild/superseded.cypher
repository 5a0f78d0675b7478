// Let facts of an empty database supersede each other, once all of them are there.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MATCH (x:Fact {id: row.id})
MATCH (other:Fact {id: row.superseded_by})
MERGE (other)-[:SUPERSEDES]->(x)
