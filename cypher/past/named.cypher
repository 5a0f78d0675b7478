// Entities that have or had a lookup key with one of these words or pointer keys: who of them had it at an instant is told
// by their transitions.
// access: read
// scope: gated
// params: terms LIST<STRING>, keys LIST<STRING>, owners_max INTEGER, visible_scopes LIST<STRING>
// returns: ids, keys
MATCH (a:Alias)-[:NAMES]->(e:Entity)
WHERE a.scope IN $visible_scopes AND e.scope IN $visible_scopes
  AND (a.pointer_key IN $keys OR any(term IN split(a.terms, ' ') WHERE term IN $terms))
WITH e, collect({scope: a.scope, key: a.key, terms: a.terms, at: toString(a.created_at)}) AS keys
ORDER BY e.id LIMIT $owners_max
RETURN collect(e.id) AS ids, collect(keys) AS keys
