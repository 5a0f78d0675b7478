// Until when history is settled: no write that is still running can add a transition before this instant. A transition's
// time is never before the start of its transaction; transactions of this service are marked as writing. The margin is
// for one that has taken its time and is not listed yet.
// access: read
// scope: system
// params: none
// returns: until
SHOW TRANSACTIONS YIELD startTime, metaData
RETURN toString(CASE
  WHEN min(CASE WHEN metaData.graphsvc = 'write' THEN datetime(startTime) END) < datetime.realtime('Z')
  THEN min(CASE WHEN metaData.graphsvc = 'write' THEN datetime(startTime) END)
  ELSE datetime.realtime('Z')
END - duration('PT0.25S')) AS until
