// Where a walk of the graph as it stood at an instant ends: the last entity id there was.
// access: read
// scope: gated
// params: as_of STRING, visible_scopes LIST<STRING>
// returns: last
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id > ''
  CALL (e) {
    MATCH (t:Transition {target_id: e.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH e, op
  WHERE NOT op IN ['retire', 'merge', 'erase']
  WITH e ORDER BY e.scope DESC, e.id DESC LIMIT 1
  RETURN e.id AS id
}
RETURN max(id) AS last
