// The path of the document that an observation cites, for exact entity evidence; long ones are not kept.
CREATE INDEX observation_source_path IF NOT EXISTS FOR (o:Observation) ON (o.source_path);
