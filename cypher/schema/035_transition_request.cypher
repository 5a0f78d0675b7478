// Undo of one run (spec 01).
CREATE INDEX transition_request IF NOT EXISTS FOR (t:Transition) ON (t.request_id);
