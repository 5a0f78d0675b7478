// Things whose history does not have one transition for each of their revisions.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
CALL () {
  MATCH (x:Entity|Observation|WorkItem|Claim|Fact|Decision|Approval|Policy)
  RETURN x.id AS id, x.revision AS revision
  UNION ALL
  MATCH ()-[x:RELATES_TO|LINKED_TO]->()
  RETURN x.id AS id, x.revision AS revision
}
WITH id, revision
WHERE coalesce(revision <> COUNT { (:Transition {target_id: id}) }, true)
WITH id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
