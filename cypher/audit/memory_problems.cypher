// What is not as it should be in the memory that the caller sees: counts and the first ids of each kind of problem.
// access: read
// scope: gated
// params: examples INTEGER, visible_scopes LIST<STRING>
// returns: problem, found, ids
CALL () {
  MATCH (c:Claim)
  WHERE c.scope IN $visible_scopes AND c.retired_at IS NULL AND NOT EXISTS { (c)-[:SUPPORTED_BY]->() }
  RETURN 'claims_without_evidence' AS problem, c.id AS id
  UNION ALL
  MATCH (c:Claim)
  WHERE c.scope IN $visible_scopes AND c.status = 'promoted' AND NOT EXISTS { (:Fact)-[:FROM_CLAIM]->(c) }
  RETURN 'promoted_claims_without_facts' AS problem, c.id AS id
  UNION ALL
  MATCH (f:Fact)
  WHERE f.scope IN $visible_scopes
    AND (NOT EXISTS { (f)-[:FROM_CLAIM]->(:Claim) } OR NOT EXISTS { (:Decision)-[:DECIDED]->(f) })
  RETURN 'facts_without_provenance' AS problem, f.id AS id
  UNION ALL
  MATCH (o:Observation)
  WHERE o.scope IN $visible_scopes AND NOT EXISTS { (:Entity)-[:HAS_OBSERVATION]->(o) }
  RETURN 'orphan_observations' AS problem, o.id AS id
  UNION ALL
  // A merge that was taken back keeps its edge, retired; a survivor may be merged or retired in its turn.
  MATCH (e:Entity)-[m:MERGED_INTO]->(other:Entity)
  WHERE e.scope IN $visible_scopes
    AND (other.scope <> e.scope OR (m.retired_at IS NULL) <> coalesce(e.merged_into = other.id, false))
  RETURN 'dangling_merges' AS problem, e.id AS id
}
WITH problem, id ORDER BY id
RETURN problem, count(id) AS found, collect(id)[0..$examples] AS ids
