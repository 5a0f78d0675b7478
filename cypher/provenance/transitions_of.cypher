// What happened to things, oldest first, with where each change comes from. Gated on the scope of the change alone.
// access: read
// scope: gated
// params: ids LIST<STRING>, page INTEGER, visible_scopes LIST<STRING>
// returns: id, kind, transitions
UNWIND $ids AS id
MATCH (t:Transition {target_id: id})
WHERE t.scope IN $visible_scopes
WITH id, t ORDER BY t.revision
WITH id, collect(t{.op, at: toString(t.at), .principal, .request_id, .load_id, .session_id, .tool, .chunk_ref,
                   .decision_id, .source_ref, .scope})[0..$page] AS transitions, collect(t.target_kind)[0] AS kind
RETURN id, kind, transitions
