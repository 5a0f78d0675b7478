// Names and titles that share pieces of words with a phrase: entities (by name or alias), tasks and notes. The scopes are
// mandatory clauses of the full-text query; liveness and both scopes are checked again on the graph.
// access: read
// scope: gated
// params: clause STRING, pool_max INTEGER, visible_scopes LIST<STRING>
// returns: hits, pool, last_score
CALL () {
  CALL db.index.fulltext.queryNodes('search', $clause, {limit: $pool_max}) YIELD node, score
  RETURN collect({node: node, score: score}) AS found
}
CALL (found) {
  UNWIND found AS hit
  WITH hit.node AS node, hit.score AS score
  CALL (node) {
    WITH node
    WHERE node:Alias
    MATCH (node)-[n:NAMES]->(e:Entity)
    WHERE n.retired_at IS NULL AND e.scope IN $visible_scopes AND e.retired_at IS NULL
    RETURN e.id AS id, 'entity' AS kind, e.name AS title, n.text AS matched, e.kind AS entity_kind, e.scope AS scope
    UNION
    WITH node
    WHERE node:WorkItem
    RETURN node.id AS id, node.kind AS kind, node.title AS title, node.title AS matched, null AS entity_kind,
           node.scope AS scope
  }
  WITH node, score, id, kind, title, matched, entity_kind, scope
  WHERE node.scope IN $visible_scopes AND node.retired_at IS NULL
  RETURN collect({id: id, kind: kind, title: title, matched: matched, entity_kind: entity_kind, scope: scope,
                  score: score}) AS hits
}
RETURN hits, size(found) AS pool, found[-1].score AS last_score
