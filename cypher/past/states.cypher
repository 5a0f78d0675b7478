// What became of things up to an instant, by their ids: the transitions of each, in order.
// access: read
// scope: gated
// params: ids LIST<STRING>, as_of STRING, visible_scopes LIST<STRING>
// returns: id, changes
UNWIND $ids AS id
MATCH (t:Transition {target_id: id})
WHERE t.scope IN $visible_scopes AND t.at <= datetime($as_of)
WITH id, t ORDER BY id, t.revision
RETURN id, collect(t{.*, at: toString(t.at), after_due: toString(t.after_due),
                       after_valid_from: toString(t.after_valid_from), after_valid_to: toString(t.after_valid_to)}) AS changes
