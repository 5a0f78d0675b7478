// Replace what tasks and notes say by a tombstone, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (x:WorkItem {id: row.id})
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.title = '[erased]', x.body = null, x.due = null, x.external_id = null, x.key = 'erased|' + x.id, x.terms = null,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END,
    x:Retired
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
REMOVE x:Searchable
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: x.kind, scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_title: x.title, after_status: x.status})
SET t += $context
RETURN x.id AS id
