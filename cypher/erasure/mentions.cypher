// Claims, facts, external ids and candidates that are about the things to be erased and stay: they have to be looked at by a
// person.
// access: read
// scope: system
// params: ids LIST<STRING>
// returns: kind, id
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (x:Claim)-[:ABOUT|OBJECT]->(:Entity {id: wanted})
  RETURN 'claim' AS kind, x.id AS id
  UNION
  MATCH (x:Fact)-[:ABOUT|OBJECT]->(:Entity {id: wanted})
  RETURN 'fact' AS kind, x.id AS id
  UNION
  MATCH (x:Candidate)-[:SUPPORTS]->(:Entity {id: wanted})
  RETURN 'candidate' AS kind, x.id AS id
  UNION
  MATCH (x:ExternalId)-[:IDENTIFIES]->(:Entity {id: wanted})
  RETURN 'external_id' AS kind, x.scope + '|' + x.value AS id
  UNION
  MATCH (c:Claim)-[:SUPPORTED_BY]->(:Evidence)-[:REFERS_TO]->(o:Observation)
  WHERE o.id = wanted OR EXISTS { (:Entity {id: wanted})-[:HAS_OBSERVATION]->(o) }
  RETURN 'claim' AS kind, c.id AS id
}
RETURN DISTINCT kind, id ORDER BY kind, id
