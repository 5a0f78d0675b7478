// Tasks and the things that they are linked to; removed links are left out.
// parameters: none
// shows: graph
MATCH link = (task:Task)-[l:LINKED_TO]->(thing:Entity)
WHERE task.retired_at IS NULL AND l.retired_at IS NULL AND thing.retired_at IS NULL
RETURN link
LIMIT 60
