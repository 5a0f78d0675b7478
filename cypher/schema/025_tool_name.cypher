CREATE CONSTRAINT tool_name IF NOT EXISTS FOR (t:Tool) REQUIRE (t.scope, t.name) IS UNIQUE;
