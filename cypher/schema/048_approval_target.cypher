CREATE INDEX approval_target IF NOT EXISTS FOR (a:Approval) ON (a.target_id);
