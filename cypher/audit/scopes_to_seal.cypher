// In which scopes there are transitions that no chain holds yet.
// access: read
// scope: system
// params: none
// returns: scope
MATCH (t:Transition)
WHERE t.unsealed
RETURN DISTINCT t.scope AS scope ORDER BY scope
