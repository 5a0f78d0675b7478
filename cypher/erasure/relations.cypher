// Take the properties of relations away, retire them, and record it. Their types are words of the graph's own and stay.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (a:Entity)-[x:RELATES_TO {id: row.id}]->(b:Entity)
WHERE coalesce(x.transition_id <> row.transition_id, true)
FOREACH (name IN [name IN keys(x) WHERE name STARTS WITH 'property_'] | SET x[name] = null)
SET x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.caption = '✗ ' + x.type,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'relation', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_type: x.type, after_from_id: a.id,
                      after_to_id: b.id})
SET t += $context
RETURN x.id AS id
