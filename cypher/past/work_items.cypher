// Tasks and notes of the visible scopes that were there at an instant or before: what each was is told by its transitions.
// access: read
// scope: gated
// params: as_of STRING, items_max INTEGER, visible_scopes LIST<STRING>
// returns: items
MATCH (w:WorkItem)
WHERE w.scope IN $visible_scopes AND w.created_at <= datetime($as_of)
WITH w ORDER BY w.id DESC LIMIT $items_max
RETURN collect({id: w.id, kind: w.kind, scope: w.scope, session: w.session_id}) AS items
