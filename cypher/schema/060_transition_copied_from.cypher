// What came to another entity by a merge is found by what it came from; transitions of merges only.
CREATE INDEX transition_copied_from IF NOT EXISTS FOR (t:Transition) ON (t.copied_from);
