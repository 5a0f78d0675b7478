// Record a decision: who decided what, when, why, under which version of the policy, on whose approval.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: id, transition_id
WITH $row AS row
WHERE row.scope IN $writable_scopes
MERGE (d:Decision {id: row.id})
ON CREATE SET d.scope = row.scope, d.action = row.action, d.verdict = row.verdict, d.mode = row.mode,
              d.principal = $context.principal, d.principal_kind = row.principal_kind, d.rationale = row.rationale,
              d.policy_version = row.policy_version, d.approval_id = row.approval_id, d.target_id = row.target_id,
              d.statement_sha256 = row.statement_sha256,
              d.caption = row.action + ': ' + row.verdict, d.revision = 1, d.created_at = datetime.transaction('Z'),
              d.created_by = $context.principal, d.transition_id = row.transition_id
WITH d, row
CALL (d, row) {
  UNWIND row.targets AS target_id
  CALL (target_id) {
    MATCH (x:Claim {id: target_id}) RETURN x
    UNION
    MATCH (x:Fact {id: target_id}) RETURN x
    UNION
    MATCH (x:Policy {id: target_id}) RETURN x
  }
  MERGE (d)-[:DECIDED]->(x)
}
MERGE (t:Transition {id: row.transition_id})
ON CREATE SET t.target_id = d.id, t.target_kind = 'decision', t.scope = d.scope, t.revision = 1, t.at = d.created_at,
              t.op = 'create', t.after_action = d.action, t.after_verdict = d.verdict, t.after_mode = d.mode,
              t.after_principal = d.principal, t.after_principal_kind = d.principal_kind,
              t.after_rationale = d.rationale, t.after_policy_version = d.policy_version,
              t.after_approval_id = d.approval_id, t.after_target_id = d.target_id,
              t.after_statement_sha256 = d.statement_sha256, t.after_targets = row.targets, t += $context
RETURN d.id AS id, t.id AS transition_id
