// What happened to an entity and to all that hangs on it, oldest first, from a place on; gated by scope alone, as history
// is for what is no longer live.
// access: read
// scope: gated
// params: entity_id STRING, after_at STRING, after_revision INTEGER, after_id STRING, until STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: transitions
MATCH (e:Entity {id: $entity_id})
WHERE e.scope IN $visible_scopes
CALL (e) {
  RETURN e.id AS target_id
  UNION
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes
  RETURN o.id AS target_id
  UNION
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND other.scope IN $visible_scopes
  RETURN r.id AS target_id
  UNION
  MATCH (e)<-[n:NAMES]-(a:Alias)
  WHERE a.scope IN $visible_scopes
  RETURN n.id AS target_id
  UNION
  MATCH (e)<-[l:LINKED_TO]-(w:Task)
  WHERE l.scope IN $visible_scopes AND w.scope IN $visible_scopes
  RETURN l.id AS target_id
}
MATCH (t:Transition {target_id: target_id})
WHERE t.scope IN $visible_scopes AND t.at <= datetime($until)
  AND (t.at > datetime($after_at) OR (t.at = datetime($after_at)
       AND (t.revision > $after_revision OR (t.revision = $after_revision AND t.id > $after_id))))
WITH t ORDER BY t.at, t.revision, t.id LIMIT $page
RETURN collect(t{.*, at: toString(t.at)}) AS transitions
