// What may answer a search: observations, names and relation types that hold its words, weighted by how rare each word is
// inside the visible scopes, with what they hang on. The scopes are mandatory clauses of the full-text query itself,
// so that nothing foreign takes a place in the pool; liveness and both scopes are checked again on the graph.
// With an `anchor` (a project) an entity outside it counts only if the project has a note on it.
// access: read
// scope: gated
// params: terms LIST<MAP>, scope_clause STRING, keys LIST<STRING>, df_max INTEGER, pool_max INTEGER, anchor STRING, visible_scopes LIST<STRING>
// returns: hits, named, pool, last_score, weights
CALL () {
  MATCH (a:Alias)-[n:NAMES]->(e:Entity)
  WHERE a.pointer_key IN $keys AND a.scope IN $visible_scopes AND n.retired_at IS NULL
    AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  WITH DISTINCT e.id AS id ORDER BY id LIMIT 16
  RETURN collect(id) AS named
}
CALL () {
  UNWIND $terms AS term
  CALL (term) {
    CALL db.index.fulltext.queryNodes('search', $scope_clause + ' +' + term.clause, {limit: $df_max}) YIELD node
    RETURN count(node) AS df
  }
  WITH term, df WHERE df > 0
  WITH term, df, round(term.prior * log(1 + 1.0 * $df_max / df), 2) + 0.01 AS weight
  RETURN collect({term: term.term, df: df, weight: weight}) AS weights,
         collect(term.clause + '^' + toString(weight)) AS clauses
}
WITH named, weights,
     clauses + [id IN named | 'owner_id:["' + id + '" TO "' + id + '"]^1.0'] AS clauses
CALL (clauses) {
  WITH clauses
  WHERE size(clauses) > 0
  CALL db.index.fulltext.queryNodes(
    'search', $scope_clause + ' +(' + reduce(text = '', clause IN clauses | text + ' ' + clause) + ')', {limit: $pool_max}
  ) YIELD node, score
  RETURN collect({node: node, score: score}) AS found
}
WITH named, weights, found
CALL (found) {
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
    AND ($anchor IS NULL OR e.scope = $anchor OR EXISTS {
      MATCH (e)-[:HAS_OBSERVATION]->(note:Observation) WHERE note.scope = $anchor AND note.retired_at IS NULL
    })
  RETURN collect({
    score: score,
    entity: e{.id, .name, .kind, .kind_key, .scope, last_seen_at: toString(e.last_seen_at)},
    observation: CASE WHEN node:Observation THEN node{.id, .text, .scope, observed_at: toString(node.observed_at),
      created_at: toString(node.created_at), last_seen_at: toString(node.last_seen_at), .source_ref, .session_id} END,
    name: CASE WHEN node:Alias THEN node.key END
  }) AS hits
}
RETURN hits, named, size(found) AS pool, found[-1].score AS last_score, weights
