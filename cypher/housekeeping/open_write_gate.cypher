// Open the gate for writes again, if it is this holder's.
// access: write
// scope: system
// params: holder STRING
// returns: none
MATCH (g:WriteGate {id: 'graphsvc', holder: $holder})
SET g.closed_until = null, g.holder = null
