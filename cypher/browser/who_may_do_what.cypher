// Who may do what in which scope: principals, their tokens, and what these grant. A token without a line to a scope has
// grants on all scopes (its property wildcard_actions). No secret is in the graph, only its hash.
// parameters: none
// shows: graph
MATCH holds = (:Principal)-[:HAS_TOKEN]->(t:Token)
WHERE t.revoked_at IS NULL
RETURN holds, [may = (t)-[:GRANTS]->(:Scope) | may] AS may
LIMIT 60
