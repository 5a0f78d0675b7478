// Facts that are to be governed, under their locks, in order of their ids, with whether they are sensitive and the policy.
// access: write
// scope: gated
// params: ids LIST<STRING>, writable_scopes LIST<STRING>, visible_scopes LIST<STRING>
// returns: fact, sensitive, policy
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $writable_scopes AND f.scope IN $visible_scopes AND f.retired_at IS NULL
SET f.locked = true
REMOVE f.locked
WITH f
MATCH (scope:Scope {id: f.scope})
OPTIONAL MATCH (scope)-[:HAS_POLICY]->(p:Policy {current: true})
CALL (f, p) {
  MATCH (f)-[:ABOUT|OBJECT]->(e:Entity)
  MATCH (s:Scope {id: e.scope})
  OPTIONAL MATCH (t:Transition {target_id: e.id})
  WITH p, e, s, collect(toLower(t.after_kind)) + collect(toLower(t.before_kind)) + [e.kind_key] AS kinds
  RETURN collect(s.sensitive OR any(kind IN kinds WHERE kind IN p.sensitive_kinds)) AS found
}
RETURN f{.*} AS fact, scope.sensitive OR any(one IN found WHERE one) AS sensitive, p{.*} AS policy
