// What was recorded just before and after, in the same session: search lends rank between them (spec 03).
CREATE INDEX observation_session IF NOT EXISTS FOR (o:Observation) ON (o.scope, o.session_id, o.position);
