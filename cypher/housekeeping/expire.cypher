// Forget idempotency keys that are past their time.
// access: write
// scope: system
// params: ttl_hours INTEGER
// returns: forgotten
MATCH (k:IdempotencyKey)
WHERE k.claimed_at < datetime() - duration({hours: $ttl_hours})
WITH k LIMIT 1000
DELETE k
RETURN count(*) AS forgotten
