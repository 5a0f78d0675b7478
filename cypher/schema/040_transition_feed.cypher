// The feed of changes: each scope's transitions in the order of time (spec 03).
CREATE INDEX transition_feed IF NOT EXISTS FOR (t:Transition) ON (t.scope, t.at);
