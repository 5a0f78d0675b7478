// Make texts lookup keys of entities: names (primary) and aliases. One node a key and scope; more than one live owner
// of it is an ambiguity, reported as `shared`.
// access: write
// scope: gated
// params: rows LIST<MAP>, writable_scopes LIST<STRING>, visible_scopes LIST<STRING>, context MAP
// returns: index, id, changed, shared, transition_id
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
WHERE row.scope IN $writable_scopes
MERGE (a:Alias {key: row.key, scope: row.scope})
ON CREATE SET a.pointer_key = row.pointer_key, a.terms = row.terms, a.created_at = datetime.transaction('Z')
SET a:Searchable
MERGE (a)-[n:NAMES {key: row.scope + '|' + e.id + '|' + row.key}]->(e)
ON CREATE SET n.id = row.id, n.text = row.text, n.primary = false, n.scope = row.scope, n.revision = 0,
              n.created_at = datetime.transaction('Z'), n.created_by = $context.principal
SET n.last_seen_at = datetime.transaction('Z')
WITH row, a, n, e,
     CASE
       WHEN n.revision = 0 OR (n.id = row.id AND n.transition_id = row.transition_id) THEN 'added'
       WHEN n.retired_at IS NOT NULL OR n.transition_id = row.transition_id THEN 'revived'
       WHEN row.primary <> n.primary OR (row.primary AND n.text <> row.text) THEN 'turned'
     END AS changed
CALL (row, n, e, changed) {
  WITH row, n, e, changed
  WHERE changed IS NOT NULL AND coalesce(n.transition_id <> row.transition_id, true)
  SET n.revision = n.revision + 1, n.transition_id = row.transition_id, n.retired_at = null, n.retired_by = null,
      n.primary = row.primary, n.text = row.text, n.updated_by = $context.principal,
      n.updated_at = CASE WHEN n.updated_at > datetime.transaction('Z') THEN n.updated_at
                          ELSE datetime.transaction('Z') END
  // A name's key comes and goes with its entity, whose own history says so; an old name that stays is an alias.
  WITH row, n, e, changed
  WHERE NOT row.primary
  CREATE (t:Transition {id: row.transition_id, target_id: n.id, target_kind: 'alias', scope: n.scope,
                        revision: n.revision, at: n.updated_at,
                        op: CASE changed WHEN 'added' THEN 'create' ELSE 'revive' END,
                        after_text: n.text, after_entity_id: e.id})
  SET t += $context
}
RETURN row.index AS index, n.id AS id, changed,
       EXISTS {
         CALL (row) {
           UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
           MATCH (same:Alias {key: row.key, scope: scope})
           RETURN same
           UNION ALL
           MATCH (same:Alias)
           WHERE size($visible_scopes) > 8 AND same.key = row.key AND same.scope IS NOT NULL
           RETURN same
         }
         MATCH (same)-[m:NAMES]->(other:Entity)
         WHERE same.scope IN $visible_scopes AND other.scope IN $visible_scopes AND other <> e
           AND m.retired_at IS NULL AND other.retired_at IS NULL
       } AS shared,
       row.transition_id AS transition_id
