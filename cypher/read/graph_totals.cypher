// How much of the graph is visible and live, and when that was counted.
// access: read
// scope: gated
// params: visible_scopes LIST<STRING>
// returns: entities, observations, relations, at
CALL () {
  MATCH (e:Entity)
  WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
  RETURN count(e) AS entities
}
CALL () {
  MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL AND o.scope IN $visible_scopes AND o.retired_at IS NULL
  RETURN count(o) AS observations
}
CALL () {
  MATCH (e:Entity)-[r:RELATES_TO]->(other:Entity)
  WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL AND r.scope IN $visible_scopes AND r.retired_at IS NULL
    AND other.scope IN $visible_scopes AND other.retired_at IS NULL
  RETURN count(r) AS relations
}
RETURN entities, observations, relations, datetime.transaction('Z') AS at
