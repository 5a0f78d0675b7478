// A claim that is to be decided, under its lock, with all that decides: whether it is sensitive (its scope, the scope of what
// it is about, or a kind that policy names, now or ever before), the policy in force, and where its evidence comes from.
// access: write
// scope: gated
// params: id STRING, writable_scopes LIST<STRING>, visible_scopes LIST<STRING>
// returns: claim, sensitive, policy, origins
MATCH (c:Claim {id: $id})
WHERE c.scope IN $writable_scopes AND c.scope IN $visible_scopes AND c.retired_at IS NULL
SET c.locked = true
REMOVE c.locked
WITH c
MATCH (scope:Scope {id: c.scope})
OPTIONAL MATCH (scope)-[:HAS_POLICY]->(p:Policy {current: true})
CALL (c, p) {
  MATCH (c)-[:ABOUT|OBJECT]->(e:Entity)
  MATCH (s:Scope {id: e.scope})
  OPTIONAL MATCH (t:Transition {target_id: e.id})
  WITH p, e, s, collect(toLower(t.after_kind)) + collect(toLower(t.before_kind)) + [e.kind_key] AS kinds
  RETURN collect(s.sensitive OR any(kind IN kinds WHERE kind IN p.sensitive_kinds)) AS found
}
CALL (c) {
  MATCH (c)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  OPTIONAL MATCH (t:Transition {target_id: o.id, op: 'create'})
  RETURN collect(DISTINCT coalesce('source ' + o.source_ref, 'session ' + o.session_id, 'request ' + t.request_id,
                                   'observation ' + o.id)) AS origins
}
RETURN c{.*} AS claim, scope.sensitive OR any(one IN found WHERE one) AS sensitive, p{.*} AS policy, origins
