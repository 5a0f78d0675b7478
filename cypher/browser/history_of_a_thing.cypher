// The history of a thing: everything that ever happened to it and to what was recorded of it, the earliest first.
// parameters: name = a name or an alias, in any case
// shows: table
WITH 'Acme Print' AS name
MATCH (key:Alias {key: toLower(name)})-[:NAMES]->(thing:Entity)
WHERE key.scope IS NOT NULL
WITH DISTINCT thing
CALL (thing) {
  RETURN thing.id AS id, thing.name AS what
  UNION
  MATCH (thing)-[:HAS_OBSERVATION]->(o:Observation)
  RETURN o.id AS id, o.text AS what
  UNION
  MATCH (thing)-[r:RELATES_TO]->(to:Entity)
  RETURN r.id AS id, r.type + ' ' + to.name AS what
}
MATCH (t:Transition {target_id: id})
OPTIONAL MATCH (t)-[:RECORDED_IN]->(s:Session)
RETURN left(toString(t.at), 19) AS at_utc, t.op AS change, t.target_kind AS kind, what, t.scope AS scope, t.principal AS by,
       s.session_id AS session
ORDER BY t.at, t.id
LIMIT 300
