// Close the gate for writes for some seconds, or keep it closed. `held`: it is this holder's; `kept`: it was all along.
// access: write
// scope: system
// params: holder STRING, seconds INTEGER
// returns: held, kept
MERGE (g:WriteGate {id: 'graphsvc'})
SET g.locked = true
REMOVE g.locked
WITH g, coalesce(g.closed_until > datetime.realtime('Z'), false) AS closed
WITH g, closed AND g.holder = $holder AS kept, NOT closed OR g.holder = $holder AS held
FOREACH (ignored IN CASE WHEN held THEN [1] ELSE [] END |
  SET g.holder = $holder, g.closed_until = datetime.realtime('Z') + duration({seconds: $seconds})
)
RETURN held, kept
