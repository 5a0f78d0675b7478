// Observations that hold one of these words, or belong to one of these entities, and were live at an instant (what they
// hang on is told by its own transitions), the newest first; and, up to a number, how many observations were live at all.
// access: read
// scope: gated
// params: terms LIST<STRING>, named LIST<STRING>, as_of STRING, matches_max INTEGER, visible_scopes LIST<STRING>
// returns: matches
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id > ''
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.created_at <= datetime($as_of)
    AND (e.id IN $named OR any(term IN split(o.terms, ' ') WHERE term IN $terms))
  CALL (o) {
    MATCH (t:Transition {target_id: o.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH e, o, op
  WHERE NOT op IN ['retire', 'erase']
  WITH e, o ORDER BY o.id DESC LIMIT $matches_max
  RETURN e, o
}
WITH e, o ORDER BY o.id DESC LIMIT $matches_max
RETURN collect({id: o.id, owner: e.id, terms: o.terms, scope: o.scope, at: toString(coalesce(o.observed_at, o.created_at)),
                session: o.session_id, position: o.position, asks: coalesce(o.asks, false)}) AS matches
