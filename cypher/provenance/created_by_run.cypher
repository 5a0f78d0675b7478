// What one run (a session, request, load or principal) created and is live still, in the scopes that the caller governs; and
// what of it came to another entity by a merge and is there by nothing else.
// access: read
// scope: gated
// params: session_id STRING, request_id STRING, load_id STRING, principal STRING, page INTEGER, writable_scopes LIST<STRING>
// returns: kind, ids
CALL () {
  MATCH (t:Transition)-[:RECORDED_IN]->(s:Session {session_id: $session_id})
  WHERE s.scope IN $writable_scopes
  RETURN t
  UNION
  MATCH (t:Transition {request_id: $request_id})
  RETURN t
  UNION
  MATCH (t:Transition {load_id: $load_id})
  RETURN t
  UNION
  MATCH (t:Transition {principal: $principal})
  RETURN t
}
WITH t
WHERE t.op = 'create' AND t.scope IN $writable_scopes
CALL (t) {
  RETURN t AS made
  UNION
  MATCH (made:Transition {copied_from: t.target_id})
  WHERE made.scope IN $writable_scopes
  RETURN made
}
WITH DISTINCT made AS t
CALL (t) {
  MATCH (x:Entity {id: t.target_id})
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (x:Observation {id: t.target_id})
  WHERE t.copied_from IS NULL OR (size(x.merged_from) = 1 AND NOT x.last_seen_at > x.merged_at)
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (x:WorkItem {id: t.target_id})
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (x:Claim {id: t.target_id})
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (x:Document {id: t.target_id})
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (x:Candidate {id: t.target_id})
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH ()-[x:SUPPORTS {id: t.target_id}]->()
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH ()-[x:RELATES_TO {id: t.target_id}]->()
  WHERE t.copied_from IS NULL OR (size(x.merged_from) = 1 AND NOT x.last_seen_at > x.merged_at)
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH ()-[x:LINKED_TO {id: t.target_id}]->()
  WHERE t.copied_from IS NULL OR (size(x.merged_from) = 1 AND NOT x.last_seen_at > x.merged_at)
  RETURN x.retired_at AS retired_at
  UNION ALL
  MATCH (:Entity {id: t.after_entity_id})<-[x:NAMES {id: t.target_id}]-()
  WHERE NOT x.primary
    AND (t.copied_from IS NULL OR (size(x.merged_from) = 1 AND NOT x.last_seen_at > x.merged_at))
  RETURN x.retired_at AS retired_at
}
WITH t WHERE retired_at IS NULL
WITH DISTINCT t.target_kind AS kind, t.target_id AS id ORDER BY id LIMIT $page
RETURN kind, collect(id) AS ids
