// Which Neo4j this is.
// access: read
// scope: system
// params: none
// returns: version, edition
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version, edition
