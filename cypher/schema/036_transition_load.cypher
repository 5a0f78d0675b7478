CREATE INDEX transition_load IF NOT EXISTS FOR (t:Transition) ON (t.load_id);
