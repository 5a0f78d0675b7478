// What hung on entities at an instant: observations (a page), the facts that were in force, and relations with the entities at their other ends; each
// as its last transition up to then tells. What an other end was is told by its own transitions.
// access: read
// scope: gated
// params: ids LIST<STRING>, as_of STRING, after_observation STRING, observations_max INTEGER, visible_scopes LIST<STRING>
// returns: id, observations, facts, relations
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $visible_scopes
CALL (e) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.id > $after_observation
  CALL (o) {
    MATCH (t:Transition {target_id: o.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH o, op
  WHERE NOT op IN ['retire', 'erase']
  WITH o ORDER BY o.id LIMIT $observations_max
  RETURN collect(o{.id, .text, .scope, observed_at: toString(o.observed_at), last_seen_at: null, .source_ref})
    AS observations
}
CALL (e) {
  MATCH (e)<-[:ABOUT]-(f:Fact)
  WHERE f.scope IN $visible_scopes AND f.id > $after_observation
  CALL (f) {
    MATCH (t:Transition {target_id: f.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t
  }
  WITH f, t
  WHERE t.after_status = 'active' AND t.after_valid_from <= datetime($as_of)
    AND coalesce(t.after_valid_to > datetime($as_of), true)
  WITH f, t ORDER BY f.id LIMIT $observations_max
  RETURN collect(f{.id, .text, .scope, .claim_id, .decision_id, .mode, .confidence, .object_id, status: t.after_status,
                   contradicted: t.after_contradicted, valid_from: toString(t.after_valid_from),
                   valid_to: toString(t.after_valid_to), observed_at: null, last_seen_at: null, source_ref: null}) AS facts
}
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND other.scope IN $visible_scopes
  WITH DISTINCT r, other, startNode(r) = e AS outgoing
  CALL (r) {
    MATCH (t:Transition {target_id: r.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision
    RETURN collect({op: t.op, properties: t.after_properties}) AS changes
  }
  WITH r, other, outgoing, changes
  WHERE size(changes) > 0 AND NOT changes[-1].op IN ['retire', 'erase']
  WITH r, other, outgoing, changes ORDER BY r.id
  RETURN collect({id: r.id, type: r.type, scope: r.scope, direction: CASE WHEN outgoing THEN 'out' ELSE 'in' END,
                  properties: [change IN changes WHERE change.properties IS NOT NULL | change.properties],
                  other: other.id}) AS relations
}
RETURN e.id AS id, observations, facts, relations
