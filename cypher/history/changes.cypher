// The transitions of the visible scopes in one order of time, from a place on, as far as history is settled.
// access: read
// scope: gated
// params: after_at STRING, after_revision INTEGER, after_id STRING, until STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: transitions
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (t:Transition)
  WHERE t.scope = scope AND t.at >= datetime($after_at) AND t.at < datetime($until)
    AND (t.at > datetime($after_at) OR t.revision > $after_revision
         OR (t.revision = $after_revision AND t.id > $after_id))
  WITH t ORDER BY t.at, t.revision, t.id LIMIT $page
  RETURN t
}
WITH t ORDER BY t.at, t.revision, t.id LIMIT $page
RETURN collect(t{.*, at: toString(t.at)}) AS transitions
