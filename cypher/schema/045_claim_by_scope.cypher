CREATE INDEX claim_by_scope IF NOT EXISTS FOR (c:Claim) ON (c.scope, c.id);
