CREATE INDEX candidate_by_scope IF NOT EXISTS FOR (c:Candidate) ON (c.scope, c.repo);
