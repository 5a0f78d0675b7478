// What the sealer has not put into its chain yet: it takes the property away.
CREATE INDEX transition_unsealed IF NOT EXISTS FOR (t:Transition) ON (t.unsealed, t.scope);
