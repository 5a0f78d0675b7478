// The key is the scope and a digest of repository, source, path and fact.
CREATE CONSTRAINT candidate_key IF NOT EXISTS FOR (c:Candidate) REQUIRE c.key IS UNIQUE;
