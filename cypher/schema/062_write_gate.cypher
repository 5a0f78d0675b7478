// One gate for writes.
CREATE CONSTRAINT write_gate IF NOT EXISTS FOR (g:WriteGate) REQUIRE g.id IS UNIQUE;
