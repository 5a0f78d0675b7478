// Put candidates of memory files as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:Candidate {id: row.id})
SET x += row.properties
SET x.key = row.scope + '|' + row.key
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
