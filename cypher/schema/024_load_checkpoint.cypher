CREATE CONSTRAINT load_checkpoint IF NOT EXISTS FOR (c:LoadCheckpoint) REQUIRE c.id IS UNIQUE;
