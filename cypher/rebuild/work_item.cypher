// Put tasks and notes as a log left them into an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (x:WorkItem {id: row.id})
SET x += row.properties
SET x.key = row.work_kind + '|' + row.scope + '|' + coalesce('external:' + row.external_id, row.id), x.kind = row.work_kind,
    x.owner_scope = row.scope, x.owner_id = row.work_kind
FOREACH (ignored IN CASE WHEN row.work_kind = 'task' THEN [1] ELSE [] END | SET x:Task)
FOREACH (ignored IN CASE WHEN row.work_kind = 'note' THEN [1] ELSE [] END | SET x:Note)
FOREACH (ignored IN CASE WHEN row.live THEN [] ELSE [1] END | SET x:Retired)
