// Replace what observations say by a tombstone, retire them, and record it.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (e:Entity)-[:HAS_OBSERVATION]->(x:Observation {id: row.id})
WHERE coalesce(x.transition_id <> row.transition_id, true)
SET x.text = '[erased]', x.key = 'erased|' + x.id, x.terms = null, x.observed_at = null, x.source_ref = null, x.asks = null,
    x.revision = x.revision + 1, x.transition_id = row.transition_id, x.updated_by = $context.principal,
    x.updated_at = CASE WHEN x.updated_at > datetime.transaction('Z') THEN x.updated_at
                        ELSE datetime.transaction('Z') END,
    x:Retired
SET x.retired_at = x.updated_at, x.retired_by = $context.principal
REMOVE x:Searchable
CREATE (t:Transition {id: row.transition_id, target_id: x.id, target_kind: 'observation', scope: x.scope, op: 'erase',
                      revision: x.revision, at: x.updated_at, after_text: x.text, after_entity_id: e.id})
SET t += $context
RETURN x.id AS id
