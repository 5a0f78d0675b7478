// What stands behind things: a fact's decision and claim, a decision's approval, a claim's evidence and the observations
// it refers to, an observation's entity, the decision a change was made for.
// access: read
// scope: gated
// params: ids LIST<STRING>, visible_scopes LIST<STRING>
// returns: id, kind, shown, behind
UNWIND $ids AS id
CALL (id) {
  MATCH (x:Fact {id: id})
  RETURN x, 'fact' AS kind, [(x)<-[:DECIDED]-(d:Decision) WHERE d.scope IN $visible_scopes | d.id]
           + [(x)-[:FROM_CLAIM]->(c:Claim) WHERE c.scope IN $visible_scopes | c.id] AS behind
  UNION
  MATCH (x:Decision {id: id})
  RETURN x, 'decision' AS kind, [(x)-[:STANDS_ON]->(a:Approval) WHERE a.scope IN $visible_scopes | a.id] AS behind
  UNION
  MATCH (x:Approval {id: id})
  RETURN x, 'approval' AS kind, [] AS behind
  UNION
  MATCH (x:Claim {id: id})
  RETURN x, 'claim' AS kind, [(x)-[:SUPPORTED_BY]->(e:Evidence) WHERE e.scope IN $visible_scopes | e.id] AS behind
  UNION
  MATCH (x:Evidence {id: id})
  RETURN x, 'evidence' AS kind, [(x)-[:REFERS_TO]->(o:Observation) WHERE o.scope IN $visible_scopes | o.id] AS behind
  UNION
  MATCH (x:Observation {id: id})
  RETURN x, 'observation' AS kind, [] AS behind
  UNION
  MATCH (x:Entity {id: id})
  RETURN x, 'entity' AS kind, [] AS behind
  UNION
  MATCH (x:WorkItem {id: id})
  RETURN x, x.kind AS kind, [] AS behind
  UNION
  MATCH (x:Document {id: id})
  RETURN x, 'document' AS kind, [] AS behind
  UNION
  MATCH (x:Candidate {id: id})
  RETURN x, 'candidate' AS kind, [] AS behind
}
WITH id, x, kind, behind
WHERE x.scope IN $visible_scopes
OPTIONAL MATCH (d:Decision)<-[:BECAUSE_OF]-(t:Transition {target_id: id})
WHERE d.scope IN $visible_scopes
WITH id, x, kind, behind, collect(DISTINCT d.id) AS because
RETURN id, kind,
       x{.scope, .text, .name, .title, .subject, .predicate, .object, .status, .mode, .action, .verdict, .rationale,
         .principal, .policy_version, .statement_sha256, .kind, .ref, .source_ref, .excerpt, .weight,
         .mime_type, .content_sha256, .size_bytes, .repo, .path, .fact, .confidence,
         expires_at: toString(x.expires_at), used_at: toString(x.used_at)} AS shown,
       behind + because AS behind
