// Put entities as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:Entity {id: row.id})
SET x += row.properties
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
