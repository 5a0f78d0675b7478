// One relation a triple and scope.
CREATE CONSTRAINT relation_key IF NOT EXISTS FOR ()-[r:RELATES_TO]-() REQUIRE r.key IS UNIQUE;
