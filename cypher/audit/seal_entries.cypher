// Append transitions to their scope's chain and move its end.
// access: write
// scope: system
// params: chain STRING, rows LIST<MAP>, seq INTEGER, seal STRING
// returns: sealed
UNWIND $rows AS row
MATCH (t:Transition {id: row.id})
SET t.seq = row.seq, t.salt = row.salt, t.content_sha256 = row.content_sha256, t.seal = row.seal
REMOVE t.unsealed
WITH count(t) AS sealed
MATCH (h:ChainHead {scope: $chain})
SET h.seq = $seq, h.seal = $seal
RETURN sealed
