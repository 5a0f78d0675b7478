// Move names of erased entities from their keys, which are the names themselves, to keys that say nothing. The edges to
// the old keys go, and so do keys that name nobody else: this is the one place where something is taken out of the graph.
// access: write
// scope: system
// params: rows LIST<MAP>, context MAP
// returns: id
UNWIND $rows AS row
MATCH (e:Entity {id: row.owner})<-[x:NAMES {id: row.id}]-(a:Alias)
WHERE a.key <> '[erased ' + row.id + ']'
WITH row, e, x, a, a.scope AS scope, properties(x) AS before
CREATE (tomb:Alias {scope: scope, key: '[erased ' + row.id + ']', created_at: a.created_at})
CREATE (tomb)-[y:NAMES]->(e)
DELETE x
SET y = before
SET y.text = CASE WHEN y.primary THEN e.name ELSE '[erased]' END, y.key = 'erased|' + y.id,
    y.revision = y.revision + 1, y.transition_id = row.transition_id, y.updated_by = $context.principal,
    y.updated_at = CASE WHEN y.updated_at > datetime.transaction('Z') THEN y.updated_at
                        ELSE datetime.transaction('Z') END
SET y.retired_at = y.updated_at, y.retired_by = $context.principal
WITH row, e, a, y
CALL (row, e, y) {
  WITH row, e, y
  WHERE NOT y.primary
  CREATE (t:Transition {id: row.transition_id, target_id: y.id, target_kind: 'alias', scope: y.scope, op: 'erase',
                        revision: y.revision, at: y.updated_at, after_text: y.text, after_entity_id: e.id})
  SET t += $context
}
WITH y.id AS id, a
WITH collect(id) AS ids, collect(DISTINCT a) AS keys
CALL (keys) {
  UNWIND keys AS a
  WITH a
  WHERE NOT (a)-[:NAMES]->()
  DELETE a
}
UNWIND ids AS id
RETURN id
