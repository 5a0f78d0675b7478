// In which scopes the things with these ids live, as the log says.
// access: read
// scope: system
// params: ids LIST<STRING>
// returns: scope
UNWIND $ids AS id
MATCH (t:Transition {target_id: id})
RETURN DISTINCT t.scope AS scope
