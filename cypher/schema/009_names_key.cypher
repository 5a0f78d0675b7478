// One NAMES edge a lookup key and entity.
CREATE CONSTRAINT names_key IF NOT EXISTS FOR ()-[n:NAMES]-() REQUIRE n.key IS UNIQUE;
