// Which runs of words are the name or an alias of something visible and live, with its owners.
// Of few scopes each key is looked up by itself, so that what others have costs nothing; of many, all at once.
// access: read
// scope: gated
// params: keys LIST<STRING>, owners_max INTEGER, visible_scopes LIST<STRING>
// returns: key, owners
CALL () {
  UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
  MATCH (a:Alias)
  WHERE a.pointer_key IN $keys AND a.scope = scope
  RETURN a
  UNION ALL
  MATCH (a:Alias)
  WHERE size($visible_scopes) > 8 AND a.pointer_key IN $keys AND a.scope IS NOT NULL
  RETURN a
}
MATCH (a)-[n:NAMES]->(e:Entity)
WHERE a.scope IN $visible_scopes AND n.retired_at IS NULL AND e.scope IN $visible_scopes AND e.retired_at IS NULL
WITH a.pointer_key AS key, e, max(CASE WHEN n.primary THEN 1 ELSE 0 END) AS primary, min(n.text) AS text
ORDER BY key, primary DESC, e.id
WITH key, collect({id: e.id, primary: primary = 1, text: text})[0..$owners_max] AS owners
RETURN key, owners
