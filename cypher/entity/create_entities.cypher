// Create entities in the write scope, or find and revive those that have the name there.
// `changed` tells what this row did: created, revived, or null; `kind_conflict` that another kind is kept.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, name, changed, kind_conflict, transition_id
UNWIND $rows AS row
MERGE (e:Entity {scope: $write_scope, name_key: row.name_key})
ON CREATE SET e.id = row.id, e.name = row.name, e.kind = row.kind, e.kind_key = row.kind_key, e.revision = 0,
              e.created_at = datetime.transaction('Z'), e.created_by = $context.principal
// Setting a property takes the lock, so that what is read after it is the last committed state.
SET e.last_seen_at = CASE WHEN e.last_seen_at > datetime.transaction('Z') THEN e.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, e,
     CASE
       WHEN e.revision = 0 OR (e.id = row.id AND e.transition_id = row.transition_id) THEN 'created'
       WHEN e.retired_at IS NOT NULL OR e.transition_id = row.transition_id THEN 'revived'
       WHEN e.kind IS NULL AND row.kind IS NOT NULL THEN 'filled'
     END AS changed
CALL (row, e, changed) {
  WITH row, e, changed
  WHERE changed IS NOT NULL AND coalesce(e.transition_id <> row.transition_id, true)
  SET e.revision = e.revision + 1, e.transition_id = row.transition_id,
      e.kind_key = CASE WHEN e.kind IS NULL THEN row.kind_key ELSE e.kind_key END,
      e.kind = coalesce(e.kind, row.kind),
      e.updated_at = CASE WHEN e.updated_at > datetime.transaction('Z') THEN e.updated_at
                          ELSE datetime.transaction('Z') END,
      e.updated_by = $context.principal, e.retired_at = null, e.retired_by = null
  REMOVE e:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: e.id, target_kind: 'entity', scope: e.scope,
                        revision: e.revision, at: e.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' WHEN 'revived' THEN 'revive' ELSE 'update' END,
                        after_name: e.name, after_kind: e.kind})
  SET t += $context
}
CALL (e, changed) {
  WITH e
  WHERE changed = 'revived'
  MATCH (e)-[:HAS_OBSERVATION]->(o:Observation)
  WHERE o.retired_at IS NULL
  SET o:Searchable
}
RETURN row.index AS index, e.id AS id, e.name AS name,
       CASE WHEN changed = 'filled' THEN null ELSE changed END AS changed,
       row.kind_key IS NOT NULL AND e.kind_key <> row.kind_key AS kind_conflict, row.transition_id AS transition_id
