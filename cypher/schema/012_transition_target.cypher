// The history of one thing.
CREATE INDEX transition_target IF NOT EXISTS FOR (t:Transition) ON (t.target_id);
