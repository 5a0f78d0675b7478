// A new version of a scope's policy; the versions before it are kept.
// access: write
// scope: gated
// params: row MAP, write_scope STRING, context MAP
// returns: id, version, transition_id
MATCH (s:Scope {id: $write_scope})
MERGE (p:Policy {id: $row.id})
ON CREATE SET p.scope = s.id, p.version = $row.version, p.sensitive = $row.sensitive,
              p.multi_evidence = $row.multi_evidence, p.sensitive_kinds = $row.sensitive_kinds,
              p.rationale = $row.rationale, p.revision = 1, p.created_at = datetime.transaction('Z'),
              p.created_by = $context.principal, p.transition_id = $row.transition_id
SET s.sensitive = $row.sensitive
WITH s, p
CALL (s, p) {
  MATCH (s)-[:HAS_POLICY]->(old:Policy {current: true})
  WHERE old <> p
  SET old.current = null
}
SET p.current = true
MERGE (s)-[:HAS_POLICY]->(p)
MERGE (t:Transition {id: $row.transition_id})
ON CREATE SET t.target_id = p.id, t.target_kind = 'policy', t.scope = p.scope, t.revision = 1, t.at = p.created_at,
              t.op = 'create', t.after_version = p.version, t.after_sensitive = p.sensitive,
              t.after_multi_evidence = p.multi_evidence, t.after_sensitive_kinds = p.sensitive_kinds,
              t.after_rationale = p.rationale, t += $context
RETURN p.id AS id, p.version AS version, t.id AS transition_id
