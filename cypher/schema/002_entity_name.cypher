// One entity a name and scope, retired ones included (spec 01). Neither property is ever null.
CREATE CONSTRAINT entity_name IF NOT EXISTS FOR (e:Entity) REQUIRE (e.scope, e.name_key) IS UNIQUE;
