// Where a walk of the visible live graph ends: the last entity id there is when it begins.
// access: read
// scope: gated
// params: visible_scopes LIST<STRING>
// returns: last
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id > '' AND e.retired_at IS NULL
  WITH e ORDER BY e.scope DESC, e.id DESC LIMIT 1
  RETURN e.id AS id
}
RETURN max(id) AS last
