// What was retired, with what it hangs on. Nothing is ever deleted: all of it can be revived.
// Retired nodes are pale; a cross stands before the type of a retired relation.
// parameters: none
// shows: graph
CALL () {
  MATCH (o:Observation:Retired)
  MATCH retired = (:Entity)-[:HAS_OBSERVATION]->(o)
  RETURN retired ORDER BY o.retired_at DESC LIMIT 40
  UNION
  MATCH (e:Entity:Retired)
  MATCH retired = (e)-[:RELATES_TO|HAS_OBSERVATION]-()
  RETURN retired ORDER BY e.retired_at DESC LIMIT 40
  UNION
  MATCH retired = (:Entity)-[r:RELATES_TO]->(:Entity)
  WHERE r.retired_at IS NOT NULL
  RETURN retired ORDER BY r.retired_at DESC LIMIT 40
}
RETURN retired
