// Replace what entities say by a tombstone, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.name = '[erased ' + x.id + ']', x.name_key = '[erased ' + x.id + ']', x.kind = null, x.kind_key = null,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END,
    x:Retired
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'entity', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_name: x.name, after_merged_into: x.merged_into})
SET t += $context
RETURN x.id AS id
