// Retire observations by id, or by entity and text in the scopes the caller may write to.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
CALL (row) {
  MATCH (o:Observation {id: row.id})
  RETURN o
  UNION
  UNWIND $writable_scopes AS scope
  MATCH (o:Observation {key: row.entity_id + '|' + scope + '|' + row.text_sha256})
  RETURN o
}
MATCH (e:Entity)-[:HAS_OBSERVATION]->(o)
WHERE o.scope IN $writable_scopes AND e.scope IN $visible_scopes AND e.retired_at IS NULL
SET o.locked = true
REMOVE o.locked
WITH row, o, row.transition_id + ':' + o.id AS transition_id
WHERE o.retired_at IS NULL OR o.transition_id = transition_id
CALL (o, transition_id) {
  WITH o, transition_id
  WHERE o.retired_at IS NULL
  SET o.revision = o.revision + 1, o.transition_id = transition_id,
      o.updated_at = CASE WHEN o.updated_at > datetime.transaction('Z') THEN o.updated_at
                          ELSE datetime.transaction('Z') END,
      o.updated_by = $context.principal, o.retired_by = $context.principal, o:Retired
  SET o.retired_at = o.updated_at
  REMOVE o:Searchable
  CREATE (t:Transition {id: transition_id, target_id: o.id, target_kind: 'observation', scope: o.scope,
                        revision: o.revision, at: o.updated_at, op: 'retire'})
  SET t += $context
}
RETURN row.index AS index, o.id AS id, transition_id
