// Entities as their transitions up to an instant tell: what became of each of them and of each of its lookup keys.
// access: read
// scope: gated
// params: ids LIST<STRING>, as_of STRING, visible_scopes LIST<STRING>
// returns: id, scope, changes, names
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $visible_scopes
CALL (e) {
  MATCH (t:Transition {target_id: e.id})
  WHERE t.at <= datetime($as_of)
  WITH t ORDER BY t.revision
  RETURN collect({op: t.op, name: t.after_name, kind: t.after_kind, before_name: t.before_name, at: toString(t.at)})
    AS changes
}
CALL (e) {
  MATCH (a:Alias)-[n:NAMES]->(e)
  WHERE a.scope IN $visible_scopes
  CALL (n) {
    MATCH (t:Transition {target_id: n.id})
    WHERE t.at <= datetime($as_of)
    WITH t ORDER BY t.revision
    RETURN collect({op: t.op, text: t.after_text, at: toString(t.at)}) AS changes
  }
  WITH a, n, changes ORDER BY n.id
  RETURN collect({key: a.key, scope: a.scope, changes: changes}) AS names
}
RETURN e.id AS id, e.scope AS scope, changes, names
