// Is anything at all visible and live?
// access: read
// scope: gated
// params: visible_scopes LIST<STRING>
// returns: empty
RETURN NOT EXISTS {
  MATCH (e:Entity)
  WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
} AS empty
