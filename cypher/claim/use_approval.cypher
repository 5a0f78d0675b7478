// Take one unused, unexpired approval of exactly this statement, given by a person, and use it up.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>, context MAP
// returns: id, transition_id
MATCH (a:Approval {target_id: $row.target_id})<-[:GAVE]-(p:Principal {kind: 'human'})
WHERE a.scope = $row.scope AND a.scope IN $writable_scopes AND a.action = $row.action
  AND a.statement_sha256 = $row.statement_sha256
WITH a ORDER BY a.id
SET a.locked = true
REMOVE a.locked
WITH a
WHERE a.used_at IS NULL AND a.expires_at > datetime.transaction('Z')
WITH a LIMIT 1
SET a.used_at = datetime.transaction('Z'), a.used_by = $row.decision_id, a.revision = a.revision + 1,
    a.transition_id = $row.transition_id
CREATE (t:Transition {id: $row.transition_id, target_id: a.id, target_kind: 'approval', scope: a.scope,
                      revision: a.revision, at: a.used_at, op: 'use'})
SET t.after_target_id = a.target_id, t.after_action = a.action,
              t.after_statement_sha256 = a.statement_sha256, t.after_principal = a.principal, t.after_token_id = a.token_id,
              t.after_expires_at = a.expires_at, t.after_used_at = a.used_at, t.after_used_by = a.used_by, t += $context
RETURN a.id AS id, t.id AS transition_id
