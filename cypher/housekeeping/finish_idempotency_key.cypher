// Keep the ids and outcomes of a finished request, in the transaction that wrote them.
// access: write
// scope: system
// params: key STRING, claim STRING, answer STRING
// returns: key
MATCH (k:IdempotencyKey {key: $key})
WHERE k.claim = $claim
SET k.answer = $answer
RETURN k.key AS key
