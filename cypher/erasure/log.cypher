// Take the content, and the salt that binds it, from earlier entries of the log about erased things. The entries stay.
// access: write
// scope: system
// params: ids LIST<STRING>
// returns: entries
UNWIND $ids AS id
MATCH (t:Transition {target_id: id})
WHERE t.op <> 'erase'
FOREACH (name IN [name IN keys(t) WHERE name STARTS WITH 'after_' OR name STARTS WITH 'before_'
                                        OR name IN ['source_ref', 'salt']] | SET t[name] = null)
WITH t
OPTIONAL MATCH (t)-[:READ_FROM]->(s:Source)
WHERE NOT EXISTS { MATCH (s)<-[:READ_FROM]-(other:Transition) WHERE NOT other.target_id IN $ids }
SET s.source_ref = null
RETURN count(DISTINCT t) AS entries
