// Scopes whose chain does not end where its head says.
// access: read
// scope: system
// params: examples INTEGER
// returns: found, ids
MATCH (h:ChainHead)
CALL (h) {
  MATCH (t:Transition {scope: h.scope})
  WHERE t.seq IS NOT NULL
  RETURN max(t.seq) AS last, count(t) AS sealed
}
WITH h, last, sealed
WHERE h.seq <> coalesce(last, 0) OR sealed <> h.seq
WITH h.scope AS id ORDER BY id
RETURN count(*) AS found, collect(id)[0..$examples] AS ids
