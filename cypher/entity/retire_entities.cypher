// Retire entities. What hangs on them stays as it is: it reads as absent because they are (spec 01).
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.scope IN $writable_scopes
SET e.locked = true
REMOVE e.locked
WITH row, e
WHERE (row.is_found AND e.retired_at IS NULL) OR e.transition_id = row.transition_id
CALL (row, e) {
  WITH row, e
  WHERE e.retired_at IS NULL
  SET e.revision = e.revision + 1, e.transition_id = row.transition_id,
      e.updated_at = CASE WHEN e.updated_at > datetime.transaction('Z') THEN e.updated_at
                          ELSE datetime.transaction('Z') END,
      e.updated_by = $context.principal, e.retired_by = $context.principal, e:Retired
  SET e.retired_at = e.updated_at
  CREATE (t:Transition {id: row.transition_id, target_id: e.id, target_kind: 'entity', scope: e.scope,
                        revision: e.revision, at: e.updated_at, op: 'retire'})
  SET t += $context
}
CALL (e) {
  MATCH (e)-[:HAS_OBSERVATION]->(o:Searchable)
  REMOVE o:Searchable
}
RETURN row.index AS index, e.id AS id, row.transition_id AS transition_id
