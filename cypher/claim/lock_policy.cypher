// A scope and its policy, under the scope's lock.
// access: write
// scope: gated
// params: write_scope STRING
// returns: sensitive, policy
MATCH (s:Scope {id: $write_scope})
SET s.locked = true
REMOVE s.locked
WITH s
OPTIONAL MATCH (s)-[:HAS_POLICY]->(p:Policy {current: true})
RETURN s.sensitive AS sensitive, p{.*} AS policy
