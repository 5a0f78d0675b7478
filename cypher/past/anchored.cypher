// On which of these entities a project had a note at an instant.
// access: read
// scope: gated
// params: ids LIST<STRING>, anchor STRING, as_of STRING, visible_scopes LIST<STRING>
// returns: id
UNWIND $ids AS id
MATCH (e:Entity {id: id})-[:HAS_OBSERVATION]->(o:Observation)
WHERE e.scope IN $visible_scopes AND o.scope IN $visible_scopes AND o.scope = $anchor
CALL (o) {
  MATCH (t:Transition {target_id: o.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t.op AS op
}
WITH id, op
WHERE NOT op IN ['retire', 'erase']
RETURN DISTINCT id
