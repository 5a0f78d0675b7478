// What the scorer asks of each candidate: the given ones and, up to a cap, neighbours of what the task is linked to.
// Pairs that are linked or suppressed are told (`taken`). Only what the caller sees counts.
// access: read
// scope: gated
// params: task_id STRING, ids LIST<STRING>, linked LIST<STRING>, session_id STRING, neighbours_max INTEGER, visible_scopes LIST<STRING>
// returns: candidates
CALL () {
  UNWIND $linked AS linked_id
  MATCH (near:Entity {id: linked_id})-[r:RELATES_TO]-(e:Entity)
  WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  WITH DISTINCT e.id AS id ORDER BY id LIMIT $neighbours_max
  RETURN collect(id) AS neighbours
}
UNWIND $ids + [id IN neighbours WHERE NOT id IN $ids] AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(near:Entity)
  WHERE near.id IN $linked AND near.scope IN $visible_scopes AND near.retired_at IS NULL
    AND r.scope IN $visible_scopes AND r.retired_at IS NULL
  RETURN count(DISTINCT near) AS near
}
CALL (e) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  RETURN max(o.last_seen_at) AS observed, any(id IN collect(o.session_id) WHERE id = $session_id) AS same_session
}
OPTIONAL MATCH (:Task {id: $task_id})-[l:LINKED_TO]->(e)
RETURN collect({entity: e{.id, .name, .kind, .scope}, near: near, same_session: coalesce(same_session, false),
                last_seen_at: toString(CASE WHEN observed > e.last_seen_at THEN observed ELSE e.last_seen_at END),
                taken: l IS NOT NULL AND (l.retired_at IS NULL OR l.suppressed IS NOT NULL)}) AS candidates
