// A transition is written once, whatever is tried again.
CREATE CONSTRAINT transition_id IF NOT EXISTS FOR (t:Transition) REQUIRE t.id IS UNIQUE;
