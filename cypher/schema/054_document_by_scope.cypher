CREATE INDEX document_by_scope IF NOT EXISTS FOR (d:Document) ON (d.scope, d.id);
