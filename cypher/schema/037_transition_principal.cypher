CREATE INDEX transition_principal IF NOT EXISTS FOR (t:Transition) ON (t.principal);
