// One observation a text, entity and scope; the key is a digest, as texts outgrow a range index.
CREATE CONSTRAINT observation_key IF NOT EXISTS FOR (o:Observation) REQUIRE o.key IS UNIQUE;
