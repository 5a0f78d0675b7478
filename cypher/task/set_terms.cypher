// The words under which tasks and notes are found, after their text changed.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>
// returns: none
UNWIND $rows AS row
MATCH (w:WorkItem {id: row.id})
WHERE w.scope IN $writable_scopes
SET w.terms = row.terms
