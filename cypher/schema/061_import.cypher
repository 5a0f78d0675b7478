// One import at a time.
CREATE CONSTRAINT import IF NOT EXISTS FOR (i:Import) REQUIRE i.id IS UNIQUE;
