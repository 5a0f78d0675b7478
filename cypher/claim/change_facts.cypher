// Change what is said of facts (status, validity, contradiction): `content` holds the properties to set.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, context MAP
// returns: index, id, transition_id
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
WHERE f.scope IN $writable_scopes AND coalesce(f.transition_id <> row.transition_id, true)
SET f += row.content
SET f.revision = f.revision + 1, f.transition_id = row.transition_id,
    f.updated_at = CASE WHEN f.updated_at > datetime.transaction('Z') THEN f.updated_at
                        ELSE datetime.transaction('Z') END,
    f.updated_by = $context.principal
CREATE (t:Transition {id: row.transition_id, target_id: f.id, target_kind: 'fact', scope: f.scope,
                      revision: f.revision, at: f.updated_at, op: row.op,
                      after_claim_id: f.claim_id, after_subject_id: f.subject_id, after_subject: f.subject,
                      after_predicate: f.predicate, after_object_id: f.object_id, after_object: f.object,
                      after_confidence: f.confidence, after_mode: f.mode, after_authority: f.authority,
                      after_statement_sha256: f.statement_sha256, after_decision_id: f.decision_id,
                      after_status: f.status, after_valid_from: f.valid_from, after_valid_to: f.valid_to,
                      after_contradicted: f.contradicted, after_superseded_by: f.superseded_by})
SET t += $context
// In the index is what may answer: a fact in force that all see who see its scope and its subject. The index gates by those
// two, so that a fact whose object is in a third scope would take a place from those who cannot see it.
WITH row, f, f.status = 'active' AND NOT EXISTS {
       MATCH (f)-[:OBJECT]->(o:Entity) WHERE NOT o.scope IN [f.scope, f.owner_scope, 'shared']
     } AS searchable
FOREACH (ignored IN CASE WHEN searchable THEN [1] ELSE [] END | SET f:Searchable)
FOREACH (ignored IN CASE WHEN searchable THEN [] ELSE [1] END | REMOVE f:Searchable)
RETURN row.index AS index, f.id AS id, row.transition_id AS transition_id
