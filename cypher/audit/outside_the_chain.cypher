// How many transitions of each scope wait to be sealed, and those that neither wait nor are in a chain (there is no such thing).
// access: read
// scope: system
// params: none
// returns: scope, waiting, outside
MATCH (t:Transition)
WHERE t.seq IS NULL
RETURN t.scope AS scope, count(CASE WHEN t.unsealed THEN 1 END) AS waiting,
       collect(CASE WHEN t.unsealed IS NULL THEN t.id END)[0..20] AS outside ORDER BY scope
