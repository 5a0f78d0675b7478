// One fact supersedes another, or two contradict each other.
// access: write
// scope: gated
// params: row MAP, writable_scopes LIST<STRING>
// returns: none
MATCH (f:Fact {id: $row.fact_id})
MATCH (other:Fact {id: $row.other_id})
WHERE f.scope IN $writable_scopes AND other.scope IN $writable_scopes
FOREACH (ignored IN CASE WHEN $row.action = 'supersede' THEN [1] ELSE [] END | MERGE (other)-[:SUPERSEDES]->(f))
FOREACH (ignored IN CASE WHEN $row.action = 'contradict' THEN [1] ELSE [] END |
  MERGE (f)-[:CONTRADICTS]->(other)
  MERGE (other)-[:CONTRADICTS]->(f)
)
