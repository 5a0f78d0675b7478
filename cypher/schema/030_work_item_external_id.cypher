CREATE INDEX work_item_external_id IF NOT EXISTS FOR (w:WorkItem) ON (w.external_id);
