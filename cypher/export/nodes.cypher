// Every node that is not housekeeping; with an instant, only those that may have changed since. Nodes whose times do not
// move with every change are always among them, and so are the neighbours of changed entities, whose labels follow them.
// access: read
// scope: system
// params: since STRING, heads MAP, left_out LIST<STRING>
// returns: id, labels, properties
CALL () {
  MATCH (n)
  WHERE $since IS NULL
     OR CASE
          WHEN n:Transition THEN n.at >= datetime($since) OR coalesce(n.seq > coalesce($heads[n.scope], 0), true)
          ELSE coalesce(n.updated_at, n.last_seen_at) IS NULL
               OR n.updated_at >= datetime($since) OR n.last_seen_at >= datetime($since)
        END
  RETURN n
  UNION ALL
  MATCH (e:Entity)--(n)
  WHERE $since IS NOT NULL AND e.updated_at >= datetime($since)
  RETURN n
}
WITH n
WHERE none(label IN labels(n) WHERE label IN $left_out)
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
