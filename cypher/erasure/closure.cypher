// What goes with the things that are to be erased: an entity takes its names, observations and relations along.
// access: read
// scope: system
// params: ids LIST<STRING>
// returns: kind, id, scope
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (x:Entity {id: wanted})
  RETURN 'entity' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH (x:WorkItem {id: wanted})
  RETURN 'work_item' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH (x:Observation {id: wanted})
  RETURN 'observation' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH (:Entity {id: wanted})-[:HAS_OBSERVATION]->(x:Observation)
  RETURN 'observation' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH (:Entity {id: wanted})<-[x:NAMES]-(:Alias)
  RETURN 'alias' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH ()-[x:RELATES_TO {id: wanted}]->()
  RETURN 'relation' AS kind, x.id AS id, x.scope AS scope
  UNION
  MATCH (:Entity {id: wanted})-[x:RELATES_TO]-()
  RETURN 'relation' AS kind, x.id AS id, x.scope AS scope
}
RETURN DISTINCT kind, id, scope ORDER BY kind, id
