// The relation types in use, one node a scope and key: search finds relations by their type through it.
CREATE CONSTRAINT relation_type IF NOT EXISTS FOR (t:RelationType) REQUIRE (t.scope, t.key) IS UNIQUE;
