// How much of the graph was live at an instant, of what the caller may see. Things are counted with those they hang on.
// access: read
// scope: gated
// params: as_of STRING, visible_scopes LIST<STRING>
// returns: entities, observations, relations
MATCH (e:Entity)
WHERE e.scope IN $visible_scopes
CALL (e) {
  MATCH (t:Transition {target_id: e.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS op
}
WITH e, op
WHERE NOT op IN ['retire', 'merge', 'erase']
WITH collect(e) AS live
CALL (live) {
  UNWIND live AS e
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes
  CALL (o) {
    MATCH (t:Transition {target_id: o.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH op WHERE NOT op IN ['retire', 'erase']
  RETURN count(*) AS observations
}
CALL (live) {
  UNWIND live AS e
  MATCH (e)-[r:RELATES_TO]->(other:Entity)
  WHERE r.scope IN $visible_scopes AND other.scope IN $visible_scopes
  CALL (r) {
    MATCH (t:Transition {target_id: r.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH other, op WHERE NOT op IN ['retire', 'erase']
  CALL (other) {
    MATCH (t:Transition {target_id: other.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS other_op
  }
  WITH other_op WHERE NOT other_op IN ['retire', 'merge', 'erase']
  RETURN count(*) AS relations
}
RETURN size(live) AS entities, observations, relations
