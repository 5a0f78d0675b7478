// Give entities another name or kind. The old name stays as an alias; a name that another entity of the scope
// has (retired ones included) is a conflict and changes nothing.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, scope, outcome, before_name, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.scope IN $writable_scopes AND e.retired_at IS NULL
SET e.locked = true
REMOVE e.locked
WITH row, e, e.transition_id = row.transition_id AS repeated,
     row.name_key IS NOT NULL AND row.name_key <> e.name_key AND EXISTS {
       MATCH (other:Entity {scope: e.scope, name_key: row.name_key})
     } AS conflict
WITH row, e, repeated, conflict, e.name AS before_name,
     (row.name IS NOT NULL AND row.name <> e.name) OR (row.kind IS NOT NULL AND row.kind <> coalesce(e.kind, '')) AS differs
CALL (row, e, repeated, conflict, before_name, differs) {
  WITH *
  WHERE differs AND NOT repeated AND NOT conflict
  CREATE (t:Transition {id: row.transition_id, target_id: e.id, target_kind: 'entity', scope: e.scope,
                        revision: e.revision + 1, op: 'update', before_name: e.name, before_kind: e.kind})
  SET t += $context
  SET e.revision = e.revision + 1, e.transition_id = row.transition_id,
      e.updated_at = CASE WHEN e.updated_at > datetime.transaction('Z') THEN e.updated_at
                          ELSE datetime.transaction('Z') END,
      e.updated_by = $context.principal,
      e.name = coalesce(row.name, e.name), e.name_key = coalesce(row.name_key, e.name_key),
      e.kind = coalesce(row.kind, e.kind), e.kind_key = coalesce(row.kind_key, e.kind_key)
  SET t.at = e.updated_at, t.after_name = e.name, t.after_kind = e.kind
}
RETURN row.index AS index, e.id AS id, e.scope AS scope,
       CASE WHEN conflict THEN 'conflict' ELSE 'updated' END AS outcome, before_name, row.transition_id AS transition_id
