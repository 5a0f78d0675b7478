CREATE CONSTRAINT policy_version IF NOT EXISTS FOR (p:Policy) REQUIRE (p.scope, p.version) IS UNIQUE;
