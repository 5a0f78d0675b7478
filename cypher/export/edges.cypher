// Every edge between nodes that are not housekeeping; with an instant, only those that may be new or changed since.
// An edge without times of its own is as new as the node it leaves, if that one has times that move.
// access: read
// scope: system
// params: since STRING, left_out LIST<STRING>
// returns: type, start_id, end_id, properties
MATCH (a)-[r]->(b)
WHERE none(label IN labels(a) WHERE label IN $left_out) AND none(label IN labels(b) WHERE label IN $left_out)
  AND ($since IS NULL
       OR CASE
            WHEN r.last_seen_at IS NOT NULL OR r.updated_at IS NOT NULL
            THEN coalesce(r.last_seen_at >= datetime($since), false) OR coalesce(r.updated_at >= datetime($since), false)
            WHEN a:Transition THEN a.at >= datetime($since)
            ELSE coalesce(a.updated_at, a.last_seen_at) IS NULL
                 OR a.updated_at >= datetime($since) OR a.last_seen_at >= datetime($since)
                 OR b.created_at >= datetime($since)
          END)
RETURN type(r) AS type, elementId(a) AS start_id, elementId(b) AS end_id, properties(r) AS properties
