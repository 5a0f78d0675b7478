// What is shown of the entities that answer: themselves, their aliases, the chosen observations and facts, and their
// one-hop relations to visible live neighbours, the first few by age, cut here and not after.
// access: read
// scope: gated
// params: rows LIST<MAP>, relations_max INTEGER, anchor STRING, visible_scopes LIST<STRING>
// returns: entities
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
CALL (e) {
  MATCH (e)<-[n:NAMES]-(a:Alias)
  WHERE NOT n.primary AND n.retired_at IS NULL AND a.scope IN $visible_scopes
  WITH n ORDER BY n.id
  RETURN collect(DISTINCT n.text) AS aliases
}
CALL (row) {
  UNWIND row.observations AS id
  MATCH (o:Observation {id: id})
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  RETURN collect(o{.id, .text, .scope, .source_ref, observed_at: toString(o.observed_at),
                   last_seen_at: toString(o.last_seen_at)}) AS observations
}
CALL (row) {
  UNWIND row.facts AS id
  MATCH (f:Fact {id: id})
  WHERE f.scope IN $visible_scopes AND f.retired_at IS NULL
  RETURN collect(f{.id, .text, .scope, .claim_id, .decision_id, .mode, .confidence, .status, .contradicted,
                   valid_from: toString(f.valid_from), valid_to: toString(f.valid_to),
                   last_seen_at: toString(f.last_seen_at)}) AS facts
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
RETURN collect({entity: e{.id, .name, .kind, .scope, last_seen_at: toString(e.last_seen_at)}, aliases: aliases,
                observations: observations + facts, relations: relations}) AS entities
