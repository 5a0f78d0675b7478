// What changed this week, the latest first: what was done to what, in which scope, by whom.
// parameters: days = how many days to look back
// shows: table
WITH 7 AS days
MATCH (s:Scope)
MATCH (t:Transition {scope: s.id})
WHERE t.at > datetime() - duration({days: days})
WITH t ORDER BY t.at DESC, t.id DESC LIMIT 100
CALL (t) {
  OPTIONAL MATCH (e:Entity {id: t.target_id})
  OPTIONAL MATCH (o:Observation {id: t.target_id})
  OPTIONAL MATCH (w:WorkItem {id: t.target_id})
  OPTIONAL MATCH (c:Claim {id: t.target_id})
  OPTIONAL MATCH (f:Fact {id: t.target_id})
  OPTIONAL MATCH (d:Decision {id: t.target_id})
  OPTIONAL MATCH (from:Entity)-[r:RELATES_TO {id: t.target_id}]->(to:Entity)
  RETURN coalesce(e.name, o.text, w.title, c.caption, f.text, d.caption, from.name + ' ' + r.type + ' ' + to.name, t.target_id) AS what
}
RETURN left(toString(t.at), 19) AS at_utc, t.op AS change, t.target_kind AS kind, what, t.scope AS scope, t.principal AS by
