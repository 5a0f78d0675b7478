// Entities whose observations or names hold the words of a task, each with the weight of its best evidence.
// Words weigh as in search: by how rare they are inside the visible scopes.
// access: read
// scope: gated
// params: terms LIST<MAP>, scope_clause STRING, df_max INTEGER, pool_max INTEGER, visible_scopes LIST<STRING>
// returns: id, score
CALL () {
  UNWIND $terms AS term
  CALL (term) {
    CALL db.index.fulltext.queryNodes('search', $scope_clause + ' +' + term.clause, {limit: $df_max}) YIELD node
    RETURN count(node) AS df
  }
  WITH term, df WHERE df > 0
  RETURN collect(term.clause + '^' + toString(round(term.prior * log(1 + 1.0 * $df_max / df), 2) + 0.01)) AS clauses
}
CALL (clauses) {
  WITH clauses
  WHERE size(clauses) > 0
  CALL db.index.fulltext.queryNodes(
    'search', $scope_clause + ' +(' + reduce(text = '', clause IN clauses | text + ' ' + clause) + ')', {limit: $pool_max}
  ) YIELD node, score
  RETURN collect({node: node, score: score}) AS found
}
// Ties at the cut would be broken by Lucene's own order, which foreign documents can change: leave them out.
WITH [hit IN found WHERE size(found) < $pool_max OR hit.score > found[-1].score] AS found
UNWIND found AS hit
WITH hit.node AS node, hit.score AS score
CALL (node) {
  WITH node
  WHERE node:Observation
  MATCH (e:Entity)-[:HAS_OBSERVATION]->(node)
  RETURN e
  UNION
  WITH node
  WHERE node:Alias
  MATCH (node)-[n:NAMES]->(e:Entity)
  WHERE n.retired_at IS NULL
  RETURN e
}
WITH node, score, e
WHERE node.scope IN $visible_scopes AND node.retired_at IS NULL
  AND e.scope IN $visible_scopes AND e.retired_at IS NULL
RETURN e.id AS id, max(score) AS score
