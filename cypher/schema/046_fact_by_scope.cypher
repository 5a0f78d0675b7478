CREATE INDEX fact_by_scope IF NOT EXISTS FOR (f:Fact) ON (f.scope, f.id);
