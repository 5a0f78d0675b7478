// The texts of observations, which never change, by their ids; and of facts, with what was said of them at an instant.
// access: read
// scope: gated
// params: ids LIST<STRING>, facts LIST<STRING>, as_of STRING, visible_scopes LIST<STRING>
// returns: observations, facts
CALL () {
  UNWIND $ids AS id
  MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Observation {id: id})
  WHERE o.scope IN $visible_scopes AND e.scope IN $visible_scopes
  RETURN collect(o{.id, .text, .scope, .source_ref, observed_at: toString(o.observed_at), last_seen_at: null})
    AS observations
}
CALL () {
  UNWIND $facts AS id
  MATCH (e:Entity)<-[:ABOUT]-(f:Fact {id: id})
  WHERE f.scope IN $visible_scopes AND e.scope IN $visible_scopes
  CALL (f) {
    MATCH (t:Transition {target_id: f.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t
  }
  RETURN collect(f{.id, .text, .scope, .claim_id, .decision_id, .mode, .confidence, status: t.after_status,
                   contradicted: t.after_contradicted, valid_from: toString(t.after_valid_from),
                   valid_to: toString(t.after_valid_to), last_seen_at: null}) AS facts
}
RETURN observations, facts
