// Who already has a name that is to be created: the write scope's own entity (retired or live), and live ones elsewhere.
// access: write
// scope: gated
// params: rows LIST<MAP>, visible_scopes LIST<STRING>, write_scope STRING
// returns: index, own, others
UNWIND $rows AS row
OPTIONAL MATCH (own:Entity {scope: $write_scope, name_key: row.name_key})
CALL (row, own) {
  WITH row, own
  WHERE own IS NULL AND row.elsewhere
  MATCH (e:Entity)
  WHERE e.name_key = row.name_key AND e.scope IN $visible_scopes AND e.scope <> $write_scope AND e.retired_at IS NULL
  RETURN collect(e{.id, .scope, .name, .kind})[0..2] AS others
}
RETURN row.index AS index, own.id AS own, others
