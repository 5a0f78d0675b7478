// Which of these entities, live or not, stand in a scope that the caller may see: for answers kept from an earlier request.
// access: read
// scope: gated
// params: ids LIST<STRING>, visible_scopes LIST<STRING>
// returns: id
MATCH (e:Entity)
WHERE e.id IN $ids AND e.scope IN $visible_scopes
RETURN e.id AS id
