// Words of observations, names and relation types, with the scopes that gate them. The service analyses the words
// itself and asks for single terms with weights of its own (docs/decisions/0003-in-scope-ranking.md).
CREATE FULLTEXT INDEX search IF NOT EXISTS FOR (n:Searchable) ON EACH [n.terms, n.scope, n.owner_scope, n.owner_id]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
