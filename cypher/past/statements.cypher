// Claims or facts (`kind`) that were there at an instant, by id from a place on, whose subject and object were live then.
// What each said is told by its transitions.
// access: read
// scope: gated
// params: kind STRING, status STRING, subject_id STRING, after STRING, as_of STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: statements
CALL () {
  MATCH (x:Claim)-[:ABOUT]->(s:Entity)
  WHERE $kind = 'claim' AND x.scope IN $visible_scopes AND s.scope IN $visible_scopes
  RETURN x, s
  UNION
  MATCH (x:Fact)-[:ABOUT]->(s:Entity)
  WHERE $kind = 'fact' AND x.scope IN $visible_scopes AND s.scope IN $visible_scopes
  RETURN x, s
}
WITH x, s
WHERE x.id > $after AND x.created_at <= datetime($as_of) AND ($subject_id IS NULL OR x.subject_id = $subject_id)
OPTIONAL MATCH (x)-[:OBJECT]->(o:Entity)
WITH x, [s] + CASE WHEN o IS NULL THEN [] ELSE [o] END AS ends
WHERE all(end IN ends WHERE end.scope IN $visible_scopes)
CALL (x) {
  MATCH (t:Transition {target_id: x.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision
  WITH collect(t.op)[-1] AS op, collect(t.after_status)[-1] AS status
  WHERE NOT op IN ['retire', 'erase'] AND ($status IS NULL OR status = $status)
  RETURN op
}
CALL (ends) {
  UNWIND ends AS end
  CALL (end) {
    MATCH (t:Transition {target_id: end.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op_of_end
  }
  WITH op_of_end
  WHERE NOT op_of_end IN ['retire', 'merge', 'erase']
  RETURN count(*) AS live_ends
}
WITH x, ends, live_ends
WHERE live_ends = size(ends)
WITH x ORDER BY x.id LIMIT $page
RETURN collect(x{.id, .scope, created_at: toString(x.created_at), .created_by}) AS statements
