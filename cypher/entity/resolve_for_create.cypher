// Who already has a name that is to be created: the write scope's own entity (retired or live), the one that it was merged
// into, and live ones elsewhere.
// Of few scopes each name is looked up by itself, so that what others have costs nothing; of many, all at once.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, write_scope STRING
// returns: index, own, survivor, others
UNWIND $rows AS row
OPTIONAL MATCH (own:Entity {scope: $write_scope, name_key: row.name_key})
CALL (row, own) {
  WITH row, own
  WHERE own IS NULL AND row.elsewhere
  CALL (row) {
    UNWIND CASE WHEN size($visible_scopes) > 8 THEN [] ELSE $visible_scopes END AS scope
    MATCH (e:Entity {scope: scope, name_key: row.name_key})
    RETURN e
    UNION ALL
    MATCH (a:Alias)
    WHERE size($visible_scopes) > 8 AND a.key = row.name_key AND a.scope IS NOT NULL
    MATCH (a)-[n:NAMES]->(e:Entity)
    WHERE n.primary
    RETURN e
  }
  WITH e
  WHERE e.scope IN $visible_scopes AND e.scope <> $write_scope AND e.retired_at IS NULL
  RETURN collect(e{.id, .scope, .name, .kind})[0..2] AS others
}
CALL (own) {
  WITH own
  WHERE own.merged_into IS NOT NULL
  MATCH (own)((:Entity)-[m:MERGED_INTO WHERE m.retired_at IS NULL]->(:Entity)){1,16}(s:Entity)
  WHERE s.merged_into IS NULL
  RETURN collect(s{.name, .name_key})[0] AS survivor
}
RETURN row.index AS index, own.id AS own, survivor, others
