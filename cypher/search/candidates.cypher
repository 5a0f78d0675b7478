// What may answer a search: observations, facts, names and relation types that hold its words, weighted by how rare each word is
// inside the visible scopes, with what was recorded around the best of them in their sessions. The scopes are mandatory
// clauses of the full-text query itself, so that nothing foreign takes a place in the pool; liveness and both scopes
// are checked again on the graph. Of few scopes each name is looked up by itself; of many, all at once. With an `anchor`
// (a project) an entity outside it counts only if the project has a note on it.
// access: read
// scope: gated
// params: terms LIST<MAP>, scope_clause STRING, keys LIST<STRING>, df_max INTEGER, pool_max INTEGER, named_max INTEGER, related_max INTEGER, session_hits_max INTEGER, session_reach INTEGER, anchor STRING, visible_scopes LIST<STRING>
// returns: hits, named, related, pool, last_score, weights
CALL () {
  CALL () {
    UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
    MATCH (a:Alias)
    WHERE a.pointer_key IN $keys AND a.scope = scope
    RETURN a
    UNION ALL
    MATCH (a:Alias)
    WHERE size($visible_scopes) > 8 AND a.pointer_key IN $keys AND a.scope IS NOT NULL
    RETURN a
  }
  MATCH (a)-[n:NAMES]->(e:Entity)
  WHERE a.scope IN $visible_scopes AND n.retired_at IS NULL
    AND e.scope IN $visible_scopes AND e.retired_at IS NULL
  WITH e, collect(DISTINCT a.pointer_key) AS keys
  ORDER BY e.id LIMIT $named_max
  RETURN collect({id: e.id, keys: keys}) AS named, collect(e) AS named_entities
}
CALL (named_entities) {
  UNWIND named_entities AS e
  CALL (e) {
    MATCH (e)-[r:RELATES_TO]-(other:Entity)
    WHERE r.scope IN $visible_scopes AND r.retired_at IS NULL
      AND other.scope IN $visible_scopes AND other.retired_at IS NULL
    WITH r, other ORDER BY r.id LIMIT $related_max
    RETURN other
  }
  RETURN collect(DISTINCT other.id) AS related
}
CALL () {
  CALL db.index.fulltext.queryNodes('search', $scope_clause, {limit: $df_max}) YIELD node
  RETURN count(node) AS documents
}
CALL (documents) {
  UNWIND $terms AS term
  CALL (term) {
    CALL db.index.fulltext.queryNodes('search', $scope_clause + ' +' + term.clause, {limit: $df_max}) YIELD node
    RETURN count(node) AS df
  }
  WITH term, df, documents
  WHERE df > 0
  // A word that is everywhere, or in more documents than are counted, still says a little.
  WITH term, round(term.prior * log(1 + 1.0 * documents / df), 3) + 0.001 AS weight
  RETURN collect({term: term.term, weight: weight}) AS weights,
         collect(term.clause + '^' + toString(weight)) AS clauses
}
// What is recorded of a thing that the query names comes before what is not, where words do not decide.
WITH named, related, weights, clauses,
     toString(round(0.1 * reduce(most = 0.002, one IN weights | CASE WHEN one.weight > most THEN one.weight ELSE most END), 3))
       AS owner_weight
WITH named, related, weights,
     clauses + [one IN named | 'owner_id:["' + one.id + '" TO "' + one.id + '"]^' + owner_weight] AS clauses
CALL (clauses) {
  WITH clauses
  WHERE size(clauses) > 0
  CALL db.index.fulltext.queryNodes(
    'search', $scope_clause + ' +(' + reduce(text = '', clause IN clauses | text + ' ' + clause) + ')',
    {limit: $pool_max}
  ) YIELD node, score
  RETURN collect({node: node, score: score}) AS found
}
CALL (found) {
  UNWIND found AS hit
  WITH hit, hit.node AS node
  // The best hits by score and id, and none tied at a full pool's cut: the index's own order must decide nothing.
  WHERE node.session_id IS NOT NULL AND (size(found) < $pool_max OR hit.score > found[-1].score)
  WITH node ORDER BY hit.score DESC, node.id LIMIT $session_hits_max
  MATCH (beside:Observation)
  WHERE beside.scope = node.scope AND beside.session_id = node.session_id
    AND beside.position >= node.position - $session_reach AND beside.position <= node.position + $session_reach
  RETURN collect(DISTINCT beside) AS around
}
CALL (found, around) {
  UNWIND found + [node IN around | {node: node, score: 0.0, beside: true}] AS hit
  WITH hit.node AS node, max(hit.score) AS score, max(coalesce(hit.beside, false)) AS beside
  WITH collect({node: node, score: score, beside: beside}) AS all
  CALL (all) {
    UNWIND [hit IN all WHERE 'Observation' IN labels(hit.node)] AS hit
    WITH hit, hit.node AS node
    MATCH (e:Entity)-[:HAS_OBSERVATION]->(node)
    RETURN hit, node, e
    UNION ALL
    UNWIND [hit IN all WHERE 'Alias' IN labels(hit.node)] AS hit
    WITH hit, hit.node AS node
    MATCH (node)-[n:NAMES]->(e:Entity)
    WHERE n.retired_at IS NULL
    RETURN DISTINCT hit, node, e
    UNION ALL
    UNWIND [hit IN all WHERE 'Fact' IN labels(hit.node)] AS hit
    WITH hit, hit.node AS node
    WHERE node.status = 'active' AND node.valid_from <= datetime.transaction('Z')
      AND coalesce(node.valid_to > datetime.transaction('Z'), true)
    MATCH (node)-[:ABOUT]->(e:Entity)
    WHERE NOT EXISTS { MATCH (node)-[:OBJECT]->(o:Entity) WHERE o.retired_at IS NOT NULL OR NOT o.scope IN $visible_scopes }
    RETURN hit, node, e
  }
  WITH hit, node, e
  WHERE node.scope IN $visible_scopes AND node.retired_at IS NULL
    AND e.scope IN $visible_scopes AND e.retired_at IS NULL
    AND ($anchor IS NULL OR e.scope = $anchor OR EXISTS {
      MATCH (e)-[:HAS_OBSERVATION]->(note:Observation) WHERE note.scope = $anchor AND note.retired_at IS NULL
    })
  RETURN collect({
    score: hit.score, beside: hit.beside, id: coalesce(node.id, node.key), is_name: node:Alias, owner: e.id, kind_key: e.kind_key,
    terms: node.terms, scope: node.scope, at: toString(coalesce(node.observed_at, node.created_at)),
    session: CASE WHEN node.position IS NOT NULL THEN node.session_id END, position: node.position, asks: coalesce(node.asks, false)
  }) AS hits
}
RETURN hits, named, related, size(found) AS pool, found[-1].score AS last_score, weights
