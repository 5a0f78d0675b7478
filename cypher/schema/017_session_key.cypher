CREATE CONSTRAINT session_key IF NOT EXISTS FOR (s:Session) REQUIRE (s.scope, s.session_id) IS UNIQUE;
