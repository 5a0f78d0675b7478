// A page of the visible live graph in the order of entity ids: from an entity on (and in it from one of its items on) up
// to the last id of the walk. A relation stands with the later of its two ends.
// access: read
// scope: gated
// params: from STRING, after_item STRING, last STRING, page INTEGER, items_max INTEGER, visible_scopes LIST<STRING>
// returns: entities
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id >= $from AND e.id <= $last AND e.retired_at IS NULL
  WITH e ORDER BY e.scope, e.id LIMIT $page
  RETURN e
}
WITH e, CASE WHEN e.id = $from THEN $after_item ELSE '' END AS after
ORDER BY e.id LIMIT $page
CALL (e) {
  MATCH (e)<-[n:NAMES]-(a:Alias)
  WHERE NOT n.primary AND n.retired_at IS NULL AND a.scope IN $visible_scopes
  WITH n ORDER BY n.id
  RETURN collect(DISTINCT n.text) AS aliases
}
CALL (e, after) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL AND o.id > after
  WITH o ORDER BY o.id LIMIT $items_max
  RETURN collect(o{.id, .text, .scope, observed_at: toString(o.observed_at), last_seen_at: toString(o.last_seen_at),
                   .source_ref}) AS observations
}
CALL (e, after) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL AND r.id > after
    AND other.scope IN $visible_scopes AND other.retired_at IS NULL AND other.id <= e.id
  WITH DISTINCT r, startNode(r) AS source, endNode(r) AS target
  ORDER BY r.id LIMIT $items_max
  RETURN collect({id: r.id, type: r.type, scope: r.scope,
                  properties: [name IN keys(r) WHERE name STARTS WITH 'property_' | [name, r[name]]],
                  from: source{.id, .name, .kind}, to: target{.id, .name, .kind}}) AS relations
}
WITH e, aliases, observations, relations
ORDER BY e.id
RETURN collect({entity: e{.id, .name, .kind, .scope, aliases: aliases, last_seen_at: toString(e.last_seen_at)},
                observations: observations, relations: relations}) AS entities
