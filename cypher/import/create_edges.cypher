// Create edges between nodes that were imported before, and say how many lines are done.
// access: write
// scope: system
// params: rows LIST<MAP>, done INTEGER
// returns: created
UNWIND $rows AS row
MATCH (a)
WHERE elementId(a) = row.start
MATCH (b)
WHERE elementId(b) = row.end
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
WITH count(r) AS created
MATCH (i:Import {id: 'graphsvc'})
SET i.edges_done = $done
RETURN created
