// Keep with every lookup key of these entities the scopes of its live owners, for the full-text index: a key whose owners
// are all invisible must not be found, nor counted, by those who see the scope of the key itself. To be run after every
// change of aliases or of the liveness of entities.
// access: write
// scope: system
// params: entity_ids LIST<STRING>
// returns: keys
MATCH (a:Alias)-[:NAMES]->(e:Entity)
WHERE e.id IN $entity_ids
WITH DISTINCT a
ORDER BY a.key, a.scope
SET a.locked = true
REMOVE a.locked
WITH a
CALL (a) {
  OPTIONAL MATCH (a)-[n:NAMES]->(owner:Entity)
  WHERE n.retired_at IS NULL AND owner.retired_at IS NULL
  WITH DISTINCT owner.scope AS scope
  ORDER BY scope
  RETURN collect(scope) AS scopes
}
SET a.owner_scope = reduce(text = '', scope IN scopes | text + scope + ' ')
RETURN count(a) AS keys
