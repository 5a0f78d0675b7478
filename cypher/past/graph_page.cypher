// The entities of a page of the graph as it stood at an instant, in the order of their ids, as `read/graph_page`.
// access: read
// scope: gated
// params: as_of STRING, from STRING, last STRING, page INTEGER, visible_scopes LIST<STRING>
// returns: ids
UNWIND $visible_scopes AS scope
CALL (scope) {
  MATCH (e:Entity)
  WHERE e.scope = scope AND e.id >= $from AND e.id <= $last
  CALL (e) {
    MATCH (t:Transition {target_id: e.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision DESC LIMIT 1
    RETURN t.op AS op
  }
  WITH e, op
  WHERE NOT op IN ['retire', 'merge', 'erase']
  WITH e ORDER BY e.scope, e.id LIMIT $page
  RETURN e.id AS id
}
WITH id ORDER BY id LIMIT $page
RETURN collect(id) AS ids
