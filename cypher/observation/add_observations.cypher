// Attach texts to entities in the write scope: added once, found again, or revived.
// access: write
// scope: gated
// params: rows LIST<MAP>, write_scope STRING, context MAP
// returns: index, id, changed, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (o:Observation {key: e.id + '|' + $write_scope + '|' + row.text_sha256})
ON CREATE SET o.id = row.id, o.scope = $write_scope, o.text = row.text, o.terms = row.terms,
              o.observed_at = datetime(row.observed_at), o.source_ref = row.source_ref,
              o.source_path = row.source_path,
              o.session_id = $context.session_id, o.position = row.position, o.asks = row.asks,
              o.owner_scope = e.scope, o.owner_id = e.id, o.revision = 0,
              o.created_at = datetime.transaction('Z'), o.created_by = $context.principal
SET o.last_seen_at = CASE WHEN o.last_seen_at > datetime.transaction('Z') THEN o.last_seen_at
                          ELSE datetime.transaction('Z') END
WITH row, e, o,
     CASE
       WHEN o.revision = 0 OR (o.id = row.id AND o.transition_id = row.transition_id) THEN 'added'
       WHEN o.retired_at IS NOT NULL OR o.transition_id = row.transition_id THEN 'revived'
     END AS changed
CALL (row, e, o, changed) {
  WITH row, e, o, changed
  WHERE changed IS NOT NULL AND coalesce(o.transition_id <> row.transition_id, true)
  FOREACH (ignored IN CASE WHEN o.revision = 0 THEN [1] ELSE [] END | CREATE (e)-[:HAS_OBSERVATION]->(o))
  SET o.revision = o.revision + 1, o.transition_id = row.transition_id, o.retired_at = null, o.retired_by = null,
      o.updated_at = CASE WHEN o.updated_at > datetime.transaction('Z') THEN o.updated_at
                          ELSE datetime.transaction('Z') END,
      o.updated_by = $context.principal, o:Searchable
  REMOVE o:Retired
  CREATE (t:Transition {id: row.transition_id, target_id: o.id, target_kind: 'observation', scope: o.scope,
                        revision: o.revision, at: o.updated_at,
                        op: CASE changed WHEN 'added' THEN 'create' ELSE 'revive' END,
                        after_text: o.text, after_entity_id: e.id, after_observed_at: o.observed_at,
                        after_source_ref: o.source_ref})
  SET t += $context
}
RETURN row.index AS index, o.id AS id, changed, row.transition_id AS transition_id
