// At most one edge a pair of task and entity, ever (spec 07).
CREATE CONSTRAINT task_link_key IF NOT EXISTS FOR ()-[l:LINKED_TO]-() REQUIRE l.key IS UNIQUE;
