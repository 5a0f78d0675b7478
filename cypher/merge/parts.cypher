// What hangs on an entity that is being merged, live, in whatever scope: all of it is to be seen through the survivor by
// those who see it now. Relations between the two are left out.
// access: read
// scope: system
// params: source_id STRING, target_id STRING
// returns: observations, relations, aliases, links, hidden
MATCH (source:Entity {id: $source_id})
CALL (source) {
  MATCH (source)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.retired_at IS NULL
  WITH o ORDER BY o.id
  RETURN collect({id: o.id, scope: o.scope}) AS observations
}
CALL (source) {
  MATCH (source)-[r:RELATES_TO]-(other:Entity)
  WHERE r.retired_at IS NULL
  WITH DISTINCT r, other
  ORDER BY r.id
  RETURN collect(CASE WHEN other.id <> $target_id THEN {id: r.id, scope: r.scope, properties: properties(r)} END)
           AS relations,
         [scope IN collect(CASE WHEN other.id = $target_id THEN r.scope END) | scope] AS hidden
}
CALL (source) {
  MATCH (source)<-[n:NAMES]-(:Alias)
  WHERE n.retired_at IS NULL
  WITH n ORDER BY n.id
  RETURN collect({id: n.id, scope: n.scope}) AS aliases
}
CALL (source) {
  MATCH (source)<-[l:LINKED_TO]-(:Task)
  WHERE l.retired_at IS NULL
  WITH l ORDER BY l.id
  RETURN collect({id: l.id, scope: l.scope}) AS links
}
RETURN observations, relations, aliases, links, hidden
