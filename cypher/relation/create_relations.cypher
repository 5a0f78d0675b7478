// Relate entities in the write scope: created once, found again, or revived.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MATCH (a:Entity {id: row.from_id})
MATCH (b:Entity {id: row.to_id})
MERGE (kind:RelationType {scope: $write_scope, key: row.type_key})
ON CREATE SET kind.type = row.type, kind.terms = row.terms, kind.owner_scope = $write_scope
MERGE (a)-[r:RELATES_TO {key: a.id + '|' + row.type_key + '|' + b.id + '|' + $write_scope}]->(b)
ON CREATE SET r.id = row.id, r.scope = $write_scope, r.type = row.type, r.type_key = row.type_key, r.revision = 0,
              r.created_at = datetime.transaction('Z'), r.created_by = $context.principal
SET r.last_seen_at = CASE WHEN r.last_seen_at > datetime.transaction('Z') THEN r.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, a, b, r,
     CASE
       WHEN r.revision = 0 OR (r.id = row.id AND r.transition_id = row.transition_id) THEN 'created'
       WHEN r.retired_at IS NOT NULL OR r.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, a, b, r, changed) {
  WITH row, a, b, r, changed
  WHERE changed IS NOT NULL AND coalesce(r.transition_id <> row.transition_id, true)
  SET r += row.properties
  SET r.revision = r.revision + 1, r.transition_id = row.transition_id, r.caption = r.type,
      r.retired_at = null, r.retired_by = null,
      r.updated_at = CASE WHEN r.updated_at > datetime.transaction('Z') THEN r.updated_at
                          ELSE datetime.transaction('Z') END,
      r.updated_by = $context.principal
  CREATE (t:Transition {id: row.transition_id, target_id: r.id, target_kind: 'relation', scope: r.scope,
                        revision: r.revision, at: r.updated_at,
                        op: CASE changed WHEN 'created' THEN 'create' ELSE 'revive' END,
                        after_type: r.type, after_from_id: a.id, after_to_id: b.id,
                        after_properties: row.properties_json})
  SET t += $context
}
RETURN row.index AS index, r.id AS id, changed, row.transition_id AS transition_id
