// The whole visible graph is walked by scope and id (keyset pages).
CREATE INDEX entity_scope_id IF NOT EXISTS FOR (e:Entity) ON (e.scope, e.id);
