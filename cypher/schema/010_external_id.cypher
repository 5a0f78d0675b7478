CREATE CONSTRAINT external_id IF NOT EXISTS FOR (x:ExternalId) REQUIRE (x.value, x.scope) IS UNIQUE;
