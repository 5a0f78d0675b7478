CREATE INDEX relation_by_type IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON (r.scope, r.type_key);
