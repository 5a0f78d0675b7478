// How many observations were live and facts active at an instant, as far as they are counted; and entities of the visible
// scopes, as many.
// access: read
// scope: gated
// params: as_of STRING, count_max INTEGER, visible_scopes LIST<STRING>
// returns: observations, facts, entities
CALL () {
  UNWIND $visible_scopes AS scope
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id > ''
  CALL (e) {
    MATCH (t:Transition {target_id: e.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH e, op
  WHERE NOT op IN ['retire', 'merge', 'erase']
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes
  CALL (o) {
    MATCH (t:Transition {target_id: o.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op_of_observation
  }
  WITH o, op_of_observation
  WHERE NOT op_of_observation IN ['retire', 'erase']
  WITH o LIMIT $count_max
  RETURN count(o) AS observations
}
CALL () {
  UNWIND $visible_scopes AS scope
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id > '' AND e.created_at <= datetime($as_of)
  WITH e LIMIT $count_max
  RETURN collect(e.id) AS entities
}
CALL () {
  UNWIND $visible_scopes AS scope
  MATCH (f:Fact)-[:ABOUT]->(e:Entity)
  WHERE f.scope = scope AND e.scope IN $visible_scopes AND f.created_at <= datetime($as_of)
    AND NOT EXISTS { MATCH (f)-[:OBJECT]->(o:Entity) WHERE NOT o.scope IN [f.scope, e.scope, 'shared'] }
  CALL (f) {
    MATCH (t:Transition {target_id: f.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.after_status AS status
  }
  WITH f, status
  WHERE status = 'active'
  WITH f LIMIT $count_max
  RETURN count(f) AS facts
}
RETURN observations, facts, entities
