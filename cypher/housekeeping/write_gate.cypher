// Is the gate for writes closed now?
// access: read
// scope: system
// params: none
// returns: closed
MATCH (g:WriteGate {id: 'graphsvc'})
RETURN coalesce(g.closed_until > datetime.realtime('Z'), false) AS closed
