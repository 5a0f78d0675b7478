// The end of a scope's chain, under its lock: one sealer at a time.
// access: write
// scope: system
// params: chain STRING
// returns: seq, seal
MERGE (h:ChainHead {scope: $chain})
ON CREATE SET h.seq = 0, h.seal = ''
SET h.locked = true
REMOVE h.locked
RETURN h.seq AS seq, h.seal AS seal
