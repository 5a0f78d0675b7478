// What is shown beside the matching observations of an entity: its aliases and its one-hop relations to visible live
// neighbours, the first few by age, cut here and not after.
// access: read
// scope: gated
// params: ids LIST<STRING>, relations_max INTEGER, anchor STRING, visible_scopes LIST<STRING>
// returns: entities
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
CALL (e) {
  MATCH (e)<-[n:NAMES]-(a:Alias)
  WHERE NOT n.primary AND n.retired_at IS NULL AND a.scope IN $visible_scopes
  WITH n ORDER BY n.id
  RETURN collect(DISTINCT n.text) AS aliases
}
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL
    AND other.scope IN $visible_scopes AND other.retired_at IS NULL
    AND ($anchor IS NULL OR other.scope = $anchor OR EXISTS {
      MATCH (other)-[:HAS_OBSERVATION]->(note:Observation) WHERE note.scope = $anchor AND note.retired_at IS NULL
    })
  WITH r, other, startNode(r) = e AS outgoing
  ORDER BY r.id LIMIT $relations_max
  RETURN collect({id: r.id, type: r.type, direction: CASE WHEN outgoing THEN 'out' ELSE 'in' END,
                  entity: other{.id, .name, .kind}}) AS relations
}
RETURN collect({id: e.id, aliases: aliases, relations: relations}) AS entities
