// Which windows of a query are the name or an alias of something that is there, with what the caller may see of it.
// A name beats an alias; several owners of a key are ambiguous and are only counted.
// Of few scopes each key is looked up by itself, so that what others have costs nothing; of many, all at once.
// access: read
// scope: gated
// params: keys LIST<STRING>, owners_max INTEGER, visible_scopes LIST<STRING>
// returns: owners
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
WITH a.pointer_key AS key, e, max(CASE WHEN n.primary THEN 1 ELSE 0 END) AS primary, collect(DISTINCT n.text) AS texts
ORDER BY key, e.id
WITH key, collect({e: e, primary: primary, texts: texts})[0..$owners_max] AS owners
UNWIND owners AS owner
WITH key, owner, owner.e AS e
CALL (e) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.scope IN $visible_scopes AND o.retired_at IS NULL
  RETURN count(o) AS observations, max(o.last_seen_at) AS observed
}
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(other:Entity)
  WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL
    AND other.scope IN $visible_scopes AND other.retired_at IS NULL
  RETURN count(r) AS relations, max(r.last_seen_at) AS related
}
CALL (e) {
  OPTIONAL MATCH (e)<-[l:LINKED_TO]-(task:Task)
  WHERE l.scope IN $visible_scopes AND l.retired_at IS NULL
    AND task.scope IN $visible_scopes AND task.retired_at IS NULL
  RETURN count(l) AS tasks, max(l.last_seen_at) AS linked
}
WITH key, owner, e, observations, relations, tasks,
     reduce(latest = e.last_seen_at, at IN [observed, related, linked] |
            CASE WHEN at IS NOT NULL AND at > latest THEN at ELSE latest END) AS last_seen_at
WHERE observations + relations + tasks > 0
RETURN collect({key: key, id: e.id, kind: e.kind, scope: e.scope, primary: owner.primary = 1, texts: owner.texts,
                observations: observations, relations: relations, tasks: tasks,
                last_seen_at: toString(last_seen_at)}) AS owners
