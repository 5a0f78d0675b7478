// A claim is its whole content, evidence included: the same one proposed again is found.
CREATE CONSTRAINT claim_statement IF NOT EXISTS FOR (c:Claim) REQUIRE c.statement_sha256 IS UNIQUE;
