// Attach external ids to entities; an id that another entity of the scope has is left with it and reported.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, value, owner, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (x:ExternalId {scope: $write_scope, value: row.value})
ON CREATE SET x.entity_id = e.id, x.created_at = datetime.transaction('Z'), x.created_by = $context.principal,
              x.transition_id = row.transition_id
WITH row, e, x
CALL (e, x) {
  WITH e, x
  WHERE x.entity_id = e.id
  MERGE (x)-[:IDENTIFIES]->(e)
}
CALL (row, x) {
  WITH row, x
  WHERE x.transition_id = row.transition_id
  MERGE (t:Transition {id: row.transition_id})
  ON CREATE SET t.target_id = x.scope + '|' + x.value, t.target_kind = 'external_id', t.scope = x.scope, t.revision = 1,
                t.at = x.created_at, t.op = 'create', t.after_value = x.value, t.after_entity_id = x.entity_id,
                t += $context
}
RETURN row.index AS index, row.value AS value, x.entity_id AS owner,
       CASE WHEN x.transition_id = row.transition_id THEN row.transition_id END AS transition_id
