// The chain of one scope, in order.
CREATE CONSTRAINT transition_seq IF NOT EXISTS FOR (t:Transition) REQUIRE (t.scope, t.seq) IS UNIQUE;
