// Create nodes, or give those that are there already these labels and properties and no others.
// access: write
// scope: system
// params: rows LIST<MAP>
// returns: index, id
UNWIND $rows AS row
CALL (row) {
  WITH row
  WHERE row.id IS NULL
  CREATE (n:$(row.labels))
  RETURN n
  UNION ALL
  WITH row
  MATCH (n)
  WHERE elementId(n) = row.id
  RETURN n
}
SET n = row.properties, n:$(row.labels)
RETURN row.index AS index, elementId(n) AS id
