// The key is a digest, as a source_ref outgrows a range index.
CREATE CONSTRAINT source_sha256 IF NOT EXISTS FOR (s:Source) REQUIRE (s.scope, s.sha256) IS UNIQUE;
