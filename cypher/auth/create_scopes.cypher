// Create scopes; one that exists keeps its title and sensitivity.
// access: write
// scope: system
// params: scopes LIST<MAP>
// returns: id, created
UNWIND $scopes AS row
MERGE (s:Scope {id: row.id})
ON CREATE SET s.kind = CASE WHEN row.id = 'shared' THEN 'shared' ELSE 'project' END,
              s.title = coalesce(row.title, row.id), s.sensitive = row.sensitive,
              s.created_at = datetime.transaction('Z'), s.creation_id = row.creation_id
RETURN s.id AS id, coalesce(s.creation_id = row.creation_id, false) AS created
