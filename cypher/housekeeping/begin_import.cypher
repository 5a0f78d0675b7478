// Note which import is under way, or find it where it stopped.
// access: write
// scope: system
// params: sha256 STRING
// returns: sha256, edges_done
MERGE (i:Import {id: 'graphsvc'})
ON CREATE SET i.sha256 = $sha256, i.edges_done = 0, i.started_at = datetime()
RETURN i.sha256 AS sha256, i.edges_done AS edges_done
