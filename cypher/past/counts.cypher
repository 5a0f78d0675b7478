// How many observations, relations and task links entities had at an instant. The ends that must have been live then are
// told apart by their own transitions.
// access: read
// scope: gated
// params: ids LIST<STRING>, as_of STRING, visible_scopes LIST<STRING>
// returns: id, observations, others, tasks
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $visible_scopes
CALL (e) {
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
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND other.scope IN $visible_scopes
  CALL (r) {
    MATCH (t:Transition {target_id: r.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH r, other, op WHERE NOT op IN ['retire', 'erase']
  RETURN collect(other.id) AS others
}
CALL (e) {
  MATCH (e)<-[l:LINKED_TO]-(task:Task)
  WHERE l.scope IN $visible_scopes AND task.scope IN $visible_scopes
  CALL (l) {
    MATCH (t:Transition {target_id: l.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH task, op WHERE NOT op IN ['unlink', 'reject', 'retire', 'erase']
  CALL (task) {
    MATCH (t:Transition {target_id: task.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS task_op
  }
  WITH task_op WHERE NOT task_op IN ['retire', 'erase']
  RETURN count(*) AS tasks
}
RETURN e.id AS id, observations, others, tasks
