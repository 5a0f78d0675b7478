// A node that a database which is still empty does not hold, if there is one.
// access: read
// scope: system
// params: left_out LIST<STRING>
// returns: labels
MATCH (n)
WHERE none(label IN labels(n) WHERE label IN $left_out) AND NOT n:Principal AND NOT n:Token
  AND NOT (n:Scope AND n.id = 'shared')
RETURN labels(n) AS labels LIMIT 1
