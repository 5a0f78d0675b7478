// Revoke tokens by id.
// access: write
// scope: system
// params: token_ids LIST<STRING>
// returns: token_id
UNWIND $token_ids AS token_id
MATCH (t:Token {id: token_id})
WHERE t.revoked_at IS NULL
SET t.revoked_at = datetime.transaction('Z')
RETURN t.id AS token_id
