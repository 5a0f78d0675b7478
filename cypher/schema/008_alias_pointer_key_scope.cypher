// Entity pointers are looked up by the normalized key in the searched scopes: what other scopes hold costs nothing (spec 04).
CREATE INDEX alias_pointer_key_scope IF NOT EXISTS FOR (a:Alias) ON (a.pointer_key, a.scope);
