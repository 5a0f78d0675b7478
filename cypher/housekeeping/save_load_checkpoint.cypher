// Remember how far a file was loaded.
// access: write
// scope: system
// params: id STRING, load_id STRING, lines_done INTEGER, finished BOOLEAN
// returns: lines_done
MERGE (c:LoadCheckpoint {id: $id})
SET c.load_id = $load_id, c.lines_done = $lines_done, c.finished = $finished, c.at = datetime()
RETURN c.lines_done AS lines_done
