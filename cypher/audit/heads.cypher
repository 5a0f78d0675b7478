// The ends of all chains, and of every scope that has none yet.
// access: read
// scope: system
// params: none
// returns: scope, seq, seal
CALL () {
  MATCH (s:Scope)
  RETURN s.id AS scope
  UNION
  MATCH (h:ChainHead)
  RETURN h.scope AS scope
}
OPTIONAL MATCH (h:ChainHead {scope: scope})
RETURN scope, coalesce(h.seq, 0) AS seq, coalesce(h.seal, '') AS seal ORDER BY scope
