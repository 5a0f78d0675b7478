// Make the fact that a claim became, with the decision behind it hanging on it already.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: id, transition_id
MATCH (c:Claim {id: $row.claim_id})
WHERE c.scope IN $writable_scopes
MATCH (c)-[:ABOUT]->(s:Entity)
MERGE (f:Fact {id: $row.id})
ON CREATE SET f.scope = c.scope, f.claim_id = c.id, f.subject_id = c.subject_id, f.subject = c.subject,
              f.predicate = c.predicate, f.object_id = c.object_id, f.object = c.object, f.text = c.caption,
              f.confidence = c.confidence, f.mode = $row.mode, f.authority = $row.authority,
              f.statement_sha256 = c.statement_sha256, f.decision_id = $row.decision_id,
              f.terms = $row.terms, f.owner_scope = s.scope, f.owner_id = s.id, f.session_id = $context.session_id,
              f.created_at = datetime.transaction('Z'), f.created_by = $context.principal,
              f.last_seen_at = datetime.transaction('Z'), f.revision = 0
MERGE (f)-[:FROM_CLAIM]->(c)
MERGE (f)-[:ABOUT]->(s)
WITH f, c
CALL (f, c) {
  MATCH (c)-[:OBJECT]->(o:Entity)
  MERGE (f)-[:OBJECT]->(o)
}
RETURN f.id AS id, null AS transition_id
