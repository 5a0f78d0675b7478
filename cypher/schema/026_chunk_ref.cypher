CREATE CONSTRAINT chunk_ref IF NOT EXISTS FOR (c:ChunkRef) REQUIRE (c.scope, c.chunk_ref) IS UNIQUE;
