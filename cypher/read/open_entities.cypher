// The entities with these ids as the caller may see them: aliases, the facts in force and observations (a page; facts have
// the lower ids), relations between them, and with `neighbours` one hop further. A relation stands under its source where
// that is open, else under its target.
// access: read
// scope: gated
// params: ids LIST<STRING>, among LIST<STRING>, neighbours BOOLEAN, after_observation STRING, observations_max INTEGER, relations_max INTEGER, visible_scopes LIST<STRING>
// returns: entities
UNWIND range(0, size($ids) - 1) AS position
MATCH (e:Entity {id: $ids[position]})
WHERE e.scope IN $visible_scopes AND e.retired_at IS NULL
CALL (e) {
  MATCH (e)<-[n:NAMES]-(a:Alias)
  WHERE NOT n.primary AND n.retired_at IS NULL AND a.scope IN $visible_scopes
  WITH n ORDER BY n.id
  RETURN collect(DISTINCT n.text) AS aliases
}
CALL (e) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL AND o.id > $after_observation
  WITH o ORDER BY o.id LIMIT $observations_max
  RETURN collect(o{.id, .text, .scope, observed_at: toString(o.observed_at), last_seen_at: toString(o.last_seen_at),
                   .source_ref}) AS observations
}
CALL (e) {
  // From the entity on: an index of all facts in the visible scopes would be the planner's choice.
  UNWIND [(e)<-[:ABOUT]-(fact:Fact) | fact] AS f
  WITH f
  WHERE f.scope IN $visible_scopes AND f.retired_at IS NULL AND f.id > $after_observation
    AND f.status = 'active' AND f.valid_from <= datetime.transaction('Z')
    AND coalesce(f.valid_to > datetime.transaction('Z'), true)
    AND NOT EXISTS { MATCH (f)-[:OBJECT]->(x:Entity) WHERE x.retired_at IS NOT NULL OR NOT x.scope IN $visible_scopes }
  WITH f ORDER BY f.id LIMIT $observations_max
  RETURN collect(f{.id, .text, .scope, observed_at: toString(f.observed_at), last_seen_at: toString(f.last_seen_at),
                   .source_ref, .claim_id, .decision_id, .mode, .confidence, .status, .contradicted,
                   valid_from: toString(f.valid_from), valid_to: toString(f.valid_to)}) AS facts
}
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL
    AND other.scope IN $visible_scopes AND other.retired_at IS NULL
  WITH r, other, startNode(r) = e AS outgoing, other.id IN $among AS among
  WITH collect(CASE WHEN $neighbours OR among THEN {r: r, other: other, outgoing: outgoing, among: among} END) AS shown,
       count(CASE WHEN NOT among THEN 1 END) AS elsewhere
  CALL (shown) {
    UNWIND shown AS hit
    WITH hit
    WHERE hit.outgoing OR NOT hit.among
    WITH hit.r AS r, hit.other AS other, hit.outgoing AS outgoing
    ORDER BY r.id LIMIT $relations_max
    RETURN collect({id: r.id, type: r.type, direction: CASE WHEN outgoing THEN 'out' ELSE 'in' END, scope: r.scope,
                    properties: [name IN keys(r) WHERE name STARTS WITH 'property_' | [name, r[name]]],
                    entity: other{.id, .name, .kind}}) AS relations
  }
  RETURN relations, elsewhere
}
WITH e, aliases, (facts + observations)[0..$observations_max] AS observations, relations, elsewhere
ORDER BY position
RETURN collect({entity: e{.id, .name, .kind, .scope, aliases: aliases, last_seen_at: toString(e.last_seen_at)},
                observations: observations, relations: relations, relations_elsewhere: elsewhere}) AS entities
