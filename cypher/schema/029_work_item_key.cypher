// One task (or note) an external id and scope; those without one have their own id in the key, so it is never null.
CREATE CONSTRAINT work_item_key IF NOT EXISTS FOR (w:WorkItem) REQUIRE w.key IS UNIQUE;
