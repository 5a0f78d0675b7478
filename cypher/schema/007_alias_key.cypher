// One alias node a key and scope; two NAMES edges from it are an ambiguity that everybody can see.
CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (a:Alias) REQUIRE (a.key, a.scope) IS UNIQUE;
