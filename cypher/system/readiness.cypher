// Which indexes are not online yet, and which schema version is in place.
// access: read
// scope: system
// params: none
// returns: version, not_online
CALL {
  SHOW INDEXES YIELD name, state
  WHERE state <> 'ONLINE'
  RETURN collect(name) AS not_online
}
OPTIONAL MATCH (v:SchemaVersion {id: 'graphsvc'})
RETURN v.version AS version, not_online
