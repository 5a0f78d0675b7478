// Give a claim back when its request was refused, so that a corrected one may use the key.
// access: write
// scope: system
// params: key STRING, claim STRING
// returns: none
MATCH (k:IdempotencyKey {key: $key})
WHERE k.claim = $claim AND k.answer IS NULL
DELETE k
