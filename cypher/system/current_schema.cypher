// The schema version that is in place.
// access: read
// scope: system
// params: none
// returns: version
MATCH (v:SchemaVersion {id: 'graphsvc'})
RETURN v.version AS version
