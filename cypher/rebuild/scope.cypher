// Make the scopes of a log in an empty database.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: none
UNWIND $rows AS row
MERGE (:Scope {id: row.id})
