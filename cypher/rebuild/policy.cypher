// Put policies into an empty database; the last version of a scope is the current one.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (s:Scope {id: row.scope})
MERGE (x:Policy {id: row.id})
SET x += row.properties
MERGE (s)-[:HAS_POLICY]->(x)
FOREACH (ignored IN CASE WHEN row.current THEN [1] ELSE [] END | SET x.current = true, s.sensitive = row.sensitive)
