// The texts of observations, which never change, by their ids.
// access: read
// scope: gated
// params: ids LIST<STRING>, visible_scopes LIST<STRING>
// returns: observations
UNWIND $ids AS id
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o:Observation {id: id})
WHERE o.scope IN $visible_scopes AND e.scope IN $visible_scopes
RETURN collect(o{.id, .text, .scope, .source_ref, observed_at: toString(o.observed_at), last_seen_at: null})
  AS observations
