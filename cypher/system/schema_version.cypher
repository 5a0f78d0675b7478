// Record the schema version that is in place. Two replicas starting together write the same.
// access: write
// scope: system
// params: version INTEGER
// returns: version
MERGE (v:SchemaVersion {id: 'graphsvc'})
ON CREATE SET v.version = $version, v.applied_at = datetime.transaction('Z')
WITH v, v.version AS before
SET v.version = CASE WHEN before < $version THEN $version ELSE before END
RETURN v.version AS version
