// Which runs of words are the name or an alias of something visible and live, with its owners.
// access: read
// scope: gated
// params: keys LIST<STRING>, owners_max INTEGER, visible_scopes LIST<STRING>
// returns: key, owners
MATCH (a:Alias)
WHERE a.pointer_key IN $keys AND a.scope IN $visible_scopes
MATCH (a)-[n:NAMES]->(e:Entity)
WHERE n.retired_at IS NULL AND e.scope IN $visible_scopes AND e.retired_at IS NULL
WITH a.pointer_key AS key, e, max(CASE WHEN n.primary THEN 1 ELSE 0 END) AS primary, min(n.text) AS text
ORDER BY key, primary DESC, e.id
WITH key, collect({id: e.id, primary: primary = 1, text: text})[0..$owners_max] AS owners
RETURN key, owners
