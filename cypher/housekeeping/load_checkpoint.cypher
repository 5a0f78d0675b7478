// How far a file was loaded.
// access: read
// scope: system
// params: id STRING
// returns: lines_done, finished
MATCH (c:LoadCheckpoint {id: $id})
RETURN c.lines_done AS lines_done, c.finished AS finished
