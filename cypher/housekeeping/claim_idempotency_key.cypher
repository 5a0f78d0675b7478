// Claim an idempotency key for one request. `state` tells what was there: mine, running, done or mismatch.
// A claim whose request died is free again after its time; a finished one is forgotten after a day.
// access: write
// scope: system
// params: key STRING, claim STRING, body_sha256 STRING, claim_ttl_s INTEGER, ttl_hours INTEGER
// returns: state, answer
MERGE (k:IdempotencyKey {key: $key})
ON CREATE SET k.claim = $claim, k.body_sha256 = $body_sha256, k.claimed_at = datetime()
SET k.locked_at = datetime()
WITH k, (k.answer IS NULL AND k.claimed_at < datetime() - duration({seconds: $claim_ttl_s}))
        OR k.claimed_at < datetime() - duration({hours: $ttl_hours}) AS expired
FOREACH (ignored IN CASE WHEN expired THEN [1] ELSE [] END |
  SET k.claim = $claim, k.body_sha256 = $body_sha256, k.claimed_at = datetime(), k.answer = null
)
RETURN CASE
         WHEN k.claim = $claim THEN 'mine'
         WHEN k.body_sha256 <> $body_sha256 THEN 'mismatch'
         WHEN k.answer IS NULL THEN 'running'
         ELSE 'done'
       END AS state,
       k.answer AS answer
