// Facts that hold one of these words, or are about one of these entities, and were not superseded or withdrawn at an instant;
// `in_force`: whether their time had come and not passed. What subject and object were is told by their own transitions.
// access: read
// scope: gated
// params: terms LIST<STRING>, named LIST<STRING>, as_of STRING, matches_max INTEGER, visible_scopes LIST<STRING>
// returns: matches
UNWIND $visible_scopes AS scope
MATCH (f:Fact)
WHERE f.scope = scope AND f.created_at <= datetime($as_of)
MATCH (f)-[:ABOUT]->(e:Entity)
WHERE e.scope IN $visible_scopes AND (e.id IN $named OR any(term IN split(f.terms, ' ') WHERE term IN $terms))
OPTIONAL MATCH (f)-[:OBJECT]->(object:Entity)
WITH f, e, object
WHERE object IS NULL OR object.scope IN [f.scope, e.scope, 'shared']
CALL (f) {
  MATCH (t:Transition {target_id: f.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision DESC LIMIT 1
  RETURN t
}
WITH f, e, t, object
WHERE t.after_status = 'active'
WITH f, e, t, object ORDER BY f.id DESC LIMIT $matches_max
RETURN collect({id: f.id, owner: e.id, object: CASE WHEN object.scope IN $visible_scopes THEN object.id END, terms: f.terms,
                scope: f.scope, at: toString(f.created_at),
                session: null, position: null, asks: false,
                in_force: coalesce(object.scope IN $visible_scopes, true) AND t.after_valid_from <= datetime($as_of)
                  AND coalesce(t.after_valid_to > datetime($as_of), true)})
  AS matches
