// What was recorded around places in sessions and was live at an instant; what it hangs on is told by its own transitions.
// access: read
// scope: gated
// params: places LIST<MAP>, reach INTEGER, as_of STRING, visible_scopes LIST<STRING>
// returns: matches
UNWIND $places AS place
MATCH (o:Observation)
WHERE o.scope = place.scope AND o.session_id = place.session
  AND o.position >= place.position - $reach AND o.position <= place.position + $reach
WITH DISTINCT o
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o)
WHERE e.scope IN $visible_scopes AND o.scope IN $visible_scopes
CALL (o) {
  MATCH (t:Transition {target_id: o.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS op
}
WITH e, o, op
WHERE NOT op IN ['retire', 'erase']
RETURN collect({id: o.id, owner: e.id, terms: o.terms, scope: o.scope, at: toString(coalesce(o.observed_at, o.created_at)),
                session: o.session_id, position: o.position, asks: coalesce(o.asks, false)}) AS matches
