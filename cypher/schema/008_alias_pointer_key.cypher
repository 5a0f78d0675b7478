// Entity pointers are looked up by the normalized key (spec 04).
CREATE INDEX alias_pointer_key IF NOT EXISTS FOR (a:Alias) ON (a.pointer_key);
